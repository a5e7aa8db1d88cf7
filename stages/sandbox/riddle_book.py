"""The riddles of the embedded world: words in the place of a number, a colour, a thing, a place or a light.

Each takes reasoning of one of six kinds (AEGIS, appendix B). A number's stands behind "as many cars as …" (or, of
comparisons, before the thing), a colour's behind "the colour …", a light's behind "at"; a thing has `{one|many}`.
"""

from __future__ import annotations

from typing import NamedTuple

REASONING = ("spatial", "temporal", "causal", "comparative", "analogical", "logical")
SLOTS = ("number", "colour", "kind", "relation", "light")

_BOOK = """
# spatial number
2: a coin has sides
2: there are ends to a rope
3: a triangle has corners
3: there are dimensions in space
4: a square has corners
4: there are main points of the compass
5: a pentagon has sides
5: a starfish has arms
# temporal number
2: there are days in a weekend
2: hours pass from noon to two o'clock
3: there are months in a quarter of a year
3: hours pass from noon to three o'clock
4: there are seasons in a year
4: there are weeks in most Februaries
5: there are working days in a usual week
5: hours pass from noon to five o'clock
# causal number
2: pieces come of a stick that is broken once
2: are left of five that three fly away from
3: pieces come of a rope that is cut twice
3: are left of four when one is eaten
4: pieces come of an apple that is halved twice
4: are left of six when two run away
5: pieces come of a ribbon that is cut four times
5: are left of eight when three are sold
# comparative number
2: one fewer than three
2: half as many as four
3: one fewer than four
3: one more than two
4: one fewer than five
4: twice as many as two
5: one more than four
5: one fewer than six
# analogical number
2: a bird has wings, just as a person has arms
2: a bicycle has wheels, just as an ostrich has legs
3: a tricycle has wheels, just as a milking stool has legs
3: a clover has leaves, just as a trident has prongs
4: a horse has hooves, just as a wagon has wheels
4: a table has legs, just as a cello has strings
5: a hand has fingers, just as a foot has toes
5: a maple leaf has points, just as a sea star has rays
# logical number
2: the only even prime number says
2: the whole number between one and three says
3: the least odd prime number says
3: the whole number between two and four says
4: the only square number between two and eight says
4: the whole number between three and five says
5: the prime number between four and six says
5: there are regular solids in geometry
# spatial colour
red: of the outermost band of a rainbow
orange: of the band right inside the outermost one of a rainbow
yellow: of the light in the middle of a traffic signal
green: of the lowest light of a traffic signal
blue: of what is overhead when no cloud is
purple: of the innermost band of a rainbow
pink: of the inside of a piglet's ear
black: of the hole in the middle of an eye
# temporal colour
red: of a tomato once it is ripe
orange: of a pumpkin at the end of October
yellow: of a banana once it is ripe
green: of meadows in spring
blue: of a cloudless afternoon
purple: of lavender fields in July
pink: of cherry branches in April
black: of a moonless midnight
# causal colour
red: that cheeks take on from shame
orange: that red paint takes on when yellow is stirred in
yellow: that leaves turn to when they lose their green
green: that yellow paint takes on when blue is stirred in
blue: that lips take on from freezing
purple: that red paint takes on when blue is stirred in
pink: that red paint takes on when white is stirred in
black: that wood turns to when it chars
# comparative colour
red: of a strawberry rather than a blueberry
orange: of an apricot rather than a plum
yellow: of a lemon rather than a lime
green: of a lime rather than a lemon
blue: of a blueberry rather than a strawberry
purple: of an aubergine rather than a courgette
pink: of a flamingo rather than a swan
black: of a raven rather than a dove
# analogical colour
red: that is to blood what white is to milk
orange: that is to tangerines what white is to milk
yellow: that is to egg yolk what white is to milk
green: that is to grass what white is to snow
blue: that is to the sea what white is to snow
purple: that is to violets what white is to daisies
pink: that is to piglets what white is to lambs
black: that is to coal what white is to chalk
# logical colour
red: that tells every driver to stop
orange: that has its name from a fruit
yellow: that is mixed with blue to get green
green: that tells every driver to go
blue: that is primary but neither red nor yellow
purple: that is mixed of all primary ones but yellow
pink: that is red and white at once, half and half
black: that is left where there is no light at all
# spatial kind
anchor: thing{|s} that hold{s|} a ship from the bottom of the sea
bird: animal{|s} whose home{|s} {is|are} a nest in the treetops
crown: thing{|s} that sit{s|} on top of a king
ladder: thing{|s} with rungs between two rails
snail: animal{|s} that live{s|} inside a coiled shell
turtle: animal{|s} between an upper and a lower shell
# temporal kind
butterfly: animal{|s} that {a caterpillar turns|caterpillars turn} into
cat: animal{|s} that {a kitten grows|kittens grow} up to be
cow: animal{|s} that {a calf grows|calves grow} up to be
dinosaur: animal{|s} that died out before there were people
dog: animal{|s} that {a puppy grows|puppies grow} up to be
duck: animal{|s} that {a duckling grows|ducklings grow} up to be
horse: animal{|s} that {a foal grows|foals grow} up to be
owl: bird{|s} that wake{s|} when other birds go to sleep
# causal kind
dog: animal{|s} that bark{s|} when a stranger comes
fire hydrant: thing{|s} whose water puts fires out
kettle: thing{|s} that bring{s|} water to the boil
key: thing{|s} that open{s|} a lock when turned
light bulb: thing{|s} that make{s|} a dark room bright
umbrella: thing{|s} that keep{s|} people dry when it rains
volcano: mountain{|s} that lava makes grow
# comparative kind
bicycle: vehicle{|s} with fewer wheels than a car and no motor
castle: building{|s} mightier than a house, meant for knights
elephant: animal{|s} heavier than all others on land
mouse: animal{|s} smaller than the cats that hunt {it|them}
rocket: vehicle{|s} faster than all others
train: vehicle{|s} longer than all others
# analogical kind
airplane: vehicle{|s} that {is|are} to the sky what ships are to the sea
bat: animal{|s} that {is|are} to the dark what swallows are to the day
car: vehicle{|s} that {is|are} to roads what boats are to water
panda: animal{|s} that {is|are} to bamboo what koalas are to eucalyptus
robot: thing{|s} that {is|are} to metal what people are to flesh
sailboat: vehicle{|s} that {is|are} to water what cars are to roads
# logical kind
circle: shape{|s} all of whose points are equally far from the middle
cube: solid{|s} bounded by equal squares alone
dolphin: creature{|s} of the sea that {is|are} no fish
ghost: being{|s} that only those see who believe in {it|them}
mushroom: growth{|s} that {is|are} neither plant nor animal
penguin: bird{|s} that can swim but not fly
triangle: shape{|s} with the fewest straight sides
# spatial relation
left: due west, as maps have it, of
right: due east, as maps have it, of
above: due north, as maps have it, of
below: due south, as maps have it, of
# temporal relation
left: where the hour hand is at nine o'clock, seen from
right: where the hour hand is at three o'clock, seen from
above: where the hour hand is at twelve o'clock, seen from
below: where the hour hand is at six o'clock, seen from
# causal relation
above: where things are before they fall down upon
below: where things land that fall down from
# comparative relation
left: nearer to the left edge than
right: nearer to the right edge than
above: higher up than
below: lower down than
# analogical relation
left: placed as A is to B in print with respect to
right: placed as B is to A in print with respect to
above: placed as a roof is to a cellar with respect to
below: placed as a cellar is to a roof with respect to
# logical relation
left: on the side that is not the right-hand one of
right: on the side that is not the left-hand one of
above: neither beside nor lower than but straight up from
below: neither beside nor higher than but straight down from
# spatial light
noon: the time with the sun at its highest place
dawn: the time with the sun on its way over the eastern horizon
sunset: the time with the sun on the western horizon
twilight: the time with the sun just behind the western horizon
night: the time with the sun on the other side of the earth
# temporal light
noon: the time halfway between six and six by day
dawn: the time when cocks crow
sunset: the time when the day has its last minutes
twilight: the time that comes between day and darkness
night: the time that lasts from bedtime to cockcrow
# causal light
noon: the time that makes shadows shortest
sunset: the time when a sinking sun reddens the sky
night: the time when the earth shades itself
# comparative light
noon: the time brighter than all others
night: the time darker than all others
# analogical light
dawn: the time that is to the day what birth is to life
night: the time that is to the day what winter is to the year
# logical light
night: the time that is neither day nor on the border of day
"""


class Riddle(NamedTuple):
    """Words in the place of a value: a number, or the name of a colour, kind, relation or light. `many`: the words for
    several things, the same for all but things.
    """

    reasoning: str
    slot: str
    value: str
    one: str
    many: str


def _read_book() -> tuple[Riddle, ...]:
    found = []
    reasoning, slot = "", ""
    for line in _BOOK.strip().splitlines():
        if line.startswith("# "):
            _, reasoning, slot = line.split(" ")
            continue
        value, _, words = line.partition(": ")
        found.append(Riddle(reasoning, slot, value, _numbered(words, 0), _numbered(words, 1)))
    return tuple(found)


def _numbered(words: str, place: int) -> str:
    """Return words with each `{one|many}` as the one or the many."""
    head, *rest = words.split("{")
    pieces = (piece.partition("}") for piece in rest)
    return head + "".join(choice.split("|")[place] + tail for choice, _, tail in pieces)


RIDDLES = _read_book()
