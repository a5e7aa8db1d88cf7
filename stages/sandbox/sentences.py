"""The phrasebook: families of twin sentences, of which captions are made.

`# name` opens a family; each English sentence is followed by its Chinese twin after `=`, and an indented line goes on
with the one above. A family's sentences say the same in other words; no sentence stands twice in either language, so
that a translation leads back to where it came from.
"""

from __future__ import annotations

from .phrases import Twin

_BOOK = """
# layout.pair
{A} {a:stands|stand} {r} {b}, and the open space between them keeps both easy to read.
= {a}位于{b}的{r}，两者之间的空间使彼此清晰可辨。
The layout sets {a} {r} {b}, leaving a clear gap so that neither crowds the other.
= 构图把{a}安排在{b}的{r}，留出明确的间隔，互不拥挤。
With {a} {r} {b}, the picture is built on a simple and stable contrast of two places.
= {a}处在{b}的{r}，画面建立在两个位置简单而稳定的对照之上。
# layout.one
{A} {a:takes|take} the foreground alone, with open land and sky on every side.
= {a}独占前景，四周是开阔的大地与天空。
The layout gives the whole foreground to {a} and leaves generous room all around.
= 构图把整个前景交给{a}，四周留出充裕的空间。
# layout.sign
No figure competes with {sign}, which holds the picture together by itself.
= 没有任何形象与{sign}争夺视线，它独自撑起整个画面。
The arrangement leaves everything to {sign}, placed calmly before the open land.
= 画面把一切都交给{sign}，它静静立在开阔的土地之前。
# layout.depth
A level horizon and layered land lead the eye from the near ground to the far distance.
= 平直的地平线与层叠的土地把视线从近处引向远方。
Layers of land recede behind the foreground, and the broad sky balances their weight.
= 层层土地在前景之后退远，宽广的天空与之平衡。
The foreground carries the weight while the sky above leaves the eye room to rest.
= 前景承载分量，上方的天空则给目光留出休息的余地。
# layout.banner
Along the upper edge {sign} closes the arrangement with a quiet level line.
= 在上缘，{sign}以一条安静的横线收束了布局。
# layout.board
Along the lower edge {sign} anchors the arrangement like a solid base.
= 在下缘，{sign}像坚实的底座一样稳住了布局。
# entity.animal
{Na} {na:appears|appear} in {ca}, reduced to the features that tell the animal at a glance.
= {na}以{ca}呈现，只保留一眼就能认出这种动物的特征。
In plain {ca}, {na} {na:shows|show} the animal by outline alone.
= {na}用单纯的{ca}，仅凭轮廓表现出动物的样子。
# entity.plant
{Na} {na:grows|grow} out of simple {ca} shapes, with stem, crown or petal drawn as one clear form.
= {na}由简单的{ca}形状构成，茎、冠或花瓣都画成清晰的一体。
In plain {ca}, {na} {na:shows|show} the plant by outline alone.
= {na}用单纯的{ca}，仅凭轮廓表现出植物的样子。
# entity.vehicle
{Na} {na:is|are} drawn in {ca}, and the build of the machine can be read from the silhouette.
= {na}以{ca}绘成，机械的构造从剪影中一望可知。
In plain {ca}, {na} {na:shows|show} the vehicle by outline alone.
= {na}用单纯的{ca}，仅凭轮廓表现出交通工具的样子。
# entity.building
{Na} {na:rises|rise} in {ca}, a sturdy form whose outline tells its nature at once.
= {na}以{ca}矗立，坚实的外形一眼便说明了它的性质。
In plain {ca}, {na} {na:looks|look} massive by outline alone.
= {na}用单纯的{ca}，仅凭轮廓表现出厚重的体量。
# entity.food
{Na} {na:looks|look} fresh in {ca}, simplified to the shape that makes it easy to recognise.
= {na}在{ca}中显得新鲜，简化成容易辨认的形状。
In plain {ca}, {na} {na:is|are} known at once by outline alone.
= {na}用单纯的{ca}，仅凭轮廓就一望可知。
# entity.tool
{Na} {na:is|are} shown in {ca}, every working part drawn as one plain and sturdy shape.
= {na}以{ca}呈现，每个部件都画成朴素结实的形状。
In plain {ca}, {na} {na:shows|show} the use of the thing by outline alone.
= {na}用单纯的{ca}，仅凭轮廓表现出器物的用途。
# entity.instrument
{Na} {na:is|are} drawn in {ca}, the curves of the instrument kept smooth and unmistakable.
= {na}以{ca}绘成，乐器的线条流畅而不会错认。
In plain {ca}, {na} {na:shows|show} the instrument by outline alone.
= {na}用单纯的{ca}，仅凭轮廓表现出乐器的样子。
# entity.thing
{Na} {na:is|are} shown in {ca}, pared down to an outline that anyone would know.
= {na}以{ca}呈现，精简成人人都认得的轮廓。
In plain {ca}, {na} {na:keeps|keep} only the lines that matter.
= {na}用单纯的{ca}，只留下要紧的线条。
# entity.shape
{Na} {na:is|are} pure geometry in {ca}, with even edges and no ornament.
= {na}是{ca}的纯粹几何形，边缘匀整，没有装饰。
In plain {ca}, {na} {na:shows|show} geometry at its simplest.
= {na}用单纯的{ca}，表现出最简单的几何。
# entity.second
In addition, {nb} in {cb} {nb:forms|form} a second, clearly different subject.
= 此外，{nb}以{cb}构成第二个截然不同的主体。
{The_nb}, in {cb}, {nb:adds|add} an outline of another kind, so the two subjects never blur together.
= {the_nb}以{cb}添上另一种轮廓，两个主体绝不混淆。
# entity.edge
A pale paper edge and a soft shadow make each figure look like a careful cut-out.
= 浅色的纸边与柔和的阴影使每个形象都像精心剪下的纸片。
Each figure keeps a crisp paper rim and casts a soft shadow on the ground.
= 每个形象都保留清晰的纸边，并在地面投下柔和的影子。
# entity.none
Apart from {sign} there is no object in view; the land and the sky stay empty.
= 除了{sign}之外看不到任何物体，大地与天空都空空荡荡。
# text.banner
The lettering {lettering} appears in bold pale characters on {sign} at the top of the picture.
= 画面顶部{sign}上以醒目的浅色字样写着{lettering}。
At the top, {sign} carries the lettering {lettering}, centred and evenly spaced.
= 顶部{sign}带有文字{lettering}，居中排列，间距均匀。
# text.board
The lettering {lettering} appears in bold pale characters on {sign} near the foot of the picture.
= 画面下方{sign}上以醒目的浅色字样写着{lettering}。
Low in the picture, {sign} carries the lettering {lettering}, centred and evenly spaced.
= 画面低处的{sign}带有文字{lettering}，居中排列，间距均匀。
# text.look
Light strokes on a dark ground give strong contrast and stay legible from a distance.
= 深底浅字形成强烈对比，远看也清楚易读。
The plain strokes have one even weight, pale on dark, and nothing decorates or hides them.
= 朴素的笔画粗细一致，深底浅字，没有装饰，也没有遮挡。
# text.place
{The_a} {a:stands|stand} clear of the sign, so nothing covers the lettering.
= {the_a}与招牌保持距离，没有任何东西遮住文字。
Nothing overlaps the sign; {the_a} {a:keeps|keep} a respectful distance.
= 没有东西与招牌重叠，{the_a}保持着得体的距离。
# text.alone
The sign stands alone before the open land, so the words are the only subject.
= 招牌独自立在开阔的土地之前，文字便是唯一的主题。
# text.none
There is no lettering anywhere in this picture, neither on a sign nor on any object.
= 这幅画里没有任何文字，招牌上没有，物体上也没有。
The picture carries no lettering; its message rests on the figures and on the sky of {light}.
= 画面不带文字，它的含义落在形象与{light}的天空上。
# wonder.giant moon
{Surreal} hangs in the sky, so large that it dwarfs the land and everything that stands on it.
= {surreal}悬在天空，大得让土地与其上的一切都显得渺小。
Far larger than any real one, {surreal} fills the upper half of the scene.
= {surreal}远大于真实的月亮，占满了画面的上半部。
# wonder.twin moons
{Surreal} share the sky at once, which no one on Earth has ever seen.
= {surreal}同时出现在天空，这是地球上从未有人见过的景象。
Where one moon belongs, {surreal} hang side by side in this impossible sky.
= 本该只有一个月亮的地方，{surreal}并排悬在这片不可能的天空里。
# wonder.emerald sky
{Surreal} spreads over the land, a colour that no real weather could bring.
= {surreal}铺展在大地之上，那是任何真实天气都带不来的颜色。
In place of blue or grey, {surreal} glows from the zenith down to the horizon.
= {surreal}取代了蓝色与灰色，从天顶一直亮到地平线。
# wonder.floating islands
{Surreal} of rock and grass drift through the air without any support.
= {surreal}由岩石与青草组成，毫无支撑地在空中飘移。
High in the air, {surreal} hover with grass on top and bare rock beneath.
= {surreal}高悬在空中，上面是青草，下面是裸露的岩石。
# wonder.contrast
Beneath this wonder {the_a} {a:stays|stay} perfectly ordinary, which makes the dream feel even stronger.
= 在这奇景之下，{the_a}依然平常如故，反而使梦境更加强烈。
That {the_a} {a:takes|take} no notice of it makes the strange scene feel like a waking dream.
= {the_a}对此毫不在意，这使奇异的场景更像一场清醒的梦。
# wonder.alone
Only {sign} shares the scene with this wonder, as if someone had tried to name a dream.
= 只有{sign}与这奇景同在，仿佛有人想为梦境命名。
# wonder.mark
The rest of the scene obeys the light of {light}, so the impossible part stands out at once.
= 场景的其余部分都遵循{light}的光线，不可能的部分因此格外显眼。
# wonder.none
Nothing here breaks the rules of nature: it is the ordinary sky of {light} above ordinary land.
= 这里没有任何东西违背自然：寻常的土地之上是{light}寻常的天空。
Imagination keeps quiet in this scene, and the sky of {light} looks as it would in real life.
= 这个场景里想象力保持安静，{light}的天空与现实中一样。
# style.flat
This is {style} with smooth gradients, clean edges and no visible texture.
= 这是一幅{style}，渐变平滑，边缘干净，看不到纹理。
Made as {style}, the picture relies on plain fields of colour and clean contours.
= 作品采用{style}的形式，依靠单纯的色块与干净的轮廓。
# style.watercolour
This is {style}: the wash fades unevenly and leaves a ragged rim of bare paper all around.
= 这是一幅{style}：晕染不匀，四周留下一圈参差的白纸边。
Made as {style}, the picture ends in a rough unpainted border where the wash runs out.
= 作品采用{style}的形式，颜料在边缘流尽，留下粗糙的空白。
# style.poster
This is {style}, with a cream frame and a sky laid down in flat, stepped bands of colour.
= 这是一幅{style}，带有米色边框，天空由平整的阶梯色带铺成。
Made as {style}, the picture has a plain frame and prints its sky in a few flat bands.
= 作品采用{style}的形式，边框朴素，天空印成几道平整的色带。
# style.popart
This is {style}: a regular screen of printed dots covers the sky from edge to edge.
= 这是一幅{style}：规则的印刷网点布满了整片天空。
Made as {style}, the picture covers its sky with an even grid of printed dots.
= 作品采用{style}的形式，天空覆盖着均匀的印刷网点。
# style.woodcut
This is {style}: fine carved lines run across the sky like the grain of the block.
= 这是一幅{style}：细密的刻线横贯天空，宛如木板的纹理。
Made as {style}, the picture lets the grain of the wood run across the whole sky.
= 作品采用{style}的形式，让木纹横贯整片天空。
# style.figure
Against this, {the_na} in {ca} {na:stands|stand} out with a crisp paper edge.
= {the_na}以{ca}衬在其上，纸边清晰。
# style.colours
A restrained palette ties the sky of {light} to the ground, and strong colour is kept for the figures.
= 克制的配色把{light}的天空与地面连在一起，浓烈的颜色只留给形象。
The colours of {light} set the key, and the pale paper edges add a tidy, handmade accent.
= {light}的色彩定下基调，浅色的纸边增添了整洁的手工感。
# mood.calm
The feeling is {mood}: nothing moves, nothing hurries, and the eye may rest wherever it likes.
= 气氛是{mood}的：没有什么在动，没有什么匆忙，目光可以随处停歇。
A {mood} quiet lies over the scene, even and unhurried from edge to edge.
= 一种{mood}的安宁笼罩着场景，从一边到另一边都从容不迫。
# mood.joyful
The feeling is {mood}: {weather} fills the air like the first minute of a celebration.
= 气氛是{mood}的：{weather}弥漫在空中，像庆典的第一分钟。
A {mood} lightness runs through the scene, carried by {weather} all over the sky.
= 一种{mood}的轻快贯穿场景，由满天{weather}传递。
# mood.melancholy
The feeling is {mood}: {weather} veils the distance and slows every thought.
= 气氛是{mood}的：{weather}遮住远方，让每个念头都慢下来。
A {mood} hush lies over the scene, deepened by {weather} that falls without end.
= 一种{mood}的寂静笼罩着场景，因落个不停的{weather}而更深。
# mood.mysterious
The feeling is {mood}: {weather} hide and reveal the sky by turns.
= 气氛是{mood}的：{weather}把天空时而遮住，时而显露。
A {mood} silence hangs over the scene, where {weather} drift between sky and land.
= 一种{mood}的沉默悬在场景之上，{weather}在天地间飘移。
# mood.dreamy
The feeling is {mood}: {weather} hang in the air as if time had stopped to listen.
= 气氛是{mood}的：{weather}悬在空中，仿佛时间停下来倾听。
A {mood} glow lies over the scene, scattered in {weather} all across the sky.
= 一种{mood}的光晕笼罩着场景，散作满天{weather}。
# mood.dramatic
The feeling is {mood}: {weather} spread across the whole sky and lift the scene.
= 气氛是{mood}的：{weather}横扫整片天空，把场景托起。
A {mood} tension charges the scene, thrown outwards by {weather} in the sky.
= 一种{mood}的张力充满场景，由天空中{weather}向外迸发。
# mood.light
The light of {light} carries that feeling over land and sky alike.
= {light}的光把这种感受带到大地与天空。
Under the light of {light} that feeling reaches every corner of the picture.
= 在{light}的光线下，这种感受抵达画面的每个角落。
# mood.figure
{The_a} {a:seems|seem} to share it, standing still as if lost in thought.
= {the_a}似乎也有同感，静静立着，若有所思。
One may read {the_a} as a quiet sign of hope within it.
= 人们可以把{the_a}看作其中一个安静的希望的象征。
# mood.alone
With no one in sight, {sign} speaks for whoever made it.
= 四下无人，{sign}替制作它的人说话。
# detail.open.pair
The picture presents {a} and {b} in an open landscape at {light}, rendered as {style}.
= 画面在{light}开阔的风景里呈现{a}和{b}，表现为一幅{style}。
At {light}, an open landscape holds {a} together with {b}, all of it made as {style}.
= {light}，一片开阔的风景里有{a}以及{b}，整体做成一幅{style}。
# detail.open.one
The picture presents {a} in an open landscape at {light}, rendered as {style}.
= 画面在{light}开阔的风景里呈现{a}，表现为一幅{style}。
At {light}, an open landscape holds {a} and little else, all of it made as {style}.
= {light}，一片开阔的风景里只有{a}，整体做成一幅{style}。
# detail.open.sign
The picture presents {sign} in an open landscape at {light}, rendered as {style}.
= 画面在{light}开阔的风景里呈现{sign}，表现为一幅{style}。
# detail.space.pair
{The_a} {a:is|are} placed {r} {the_b}, because two separate places let each subject be read in turn before the eye
  compares them.
= {the_a}放在{the_b}的{r}，因为分开的位置让目光先依次读懂每个主体，再作比较。
Putting {the_a} {r} {the_b} gives the eye a clear order: first one subject, then the other, then the space that
  links them.
= 把{the_a}放在{the_b}的{r}，给了目光清楚的次序：先看一个主体，再看另一个，然后是连接两者的空间。
# detail.space.one
{The_a} {a:is|are} placed low in the foreground, because a single subject gains weight when nothing else shares its
  ground.
= {the_a}低低放在前景，因为没有别的东西分享地面时，单一的主体更有分量。
Keeping {the_a} near the viewer and away from every edge makes the subject the first and the last thing one sees.
= 让{the_a}靠近观者并远离各条边缘，使它成为人们最先也最后看到的东西。
# detail.space.sign
The sign is given the middle of the land, because words need calm surroundings before they can be read at leisure.
= 招牌放在土地中央，因为文字需要安静的环境才能从容读完。
# detail.link.pair
They interact through contrast of shape and place: {the_a} {a:answers|answer} {the_b}, and neither would say as
  much alone.
= 它们通过形状与位置的对比相互呼应：{the_a}回应{the_b}，单独一方都说不出这么多。
Shadow and ground join the two, so that {the_a} and {the_b} belong to one place although they keep their distance.
= 影子与地面把两者连在一起，{the_a}和{the_b}虽然保持距离，却同属一处。
# detail.link.one
Shadow and ground tie {the_a} to the land, so the cut-out belongs to the place instead of hovering in front of it.
= 影子与地面把{the_a}系在土地上，剪纸形象属于此处，而不是浮在前面。
# detail.text
On {sign} the lettering {lettering} is set in pale characters on a dark ground, large enough to be read first and
  small enough to leave the scene its calm.
= {sign}上的文字{lettering}以浅色字样写在深底上，大得能先被读到，又小得不打扰场景的安宁。
The lettering {lettering} on {sign} gives the image a voice, its pale strokes kept free of everything around them.
= {sign}上的文字{lettering}给了图像一种声音，浅色笔画与周围一切都不相碰。
# detail.colour
Colour harmony comes from the sky of {light}, whose tones return softened in the land, while the strong {ca} of the
  subject stays the brightest accent.
= 色彩的和谐来自{light}的天空，它的色调柔和地回到土地上，而主体浓烈的{ca}始终是最亮的点缀。
The palette follows {light}: sky and land share one family of tones, and the {ca} of the subject is set against them
  as a deliberate accent.
= 配色跟随{light}：天空与土地同属一个色系，主体的{ca}则是有意与之相对的点缀。
# detail.colour.sign
The palette follows {light}: sky and land share one family of tones, and the dark face of the sign is the only
  accent.
= 配色跟随{light}：天空与土地同属一个色系，招牌深色的牌面是唯一的点缀。
# detail.balance
The wide empty sky balances the heavy foreground, and the layered land between them gives depth without distracting
  from the subject.
= 宽广的天空平衡了沉重的前景，其间层叠的土地带来深度，又不分散对主体的注意。
Balance is kept by leaving the upper part light and the lower part firm, with layers of land that lead inwards step
  by step.
= 画面上轻下稳，以此保持平衡，层层土地一步步引向深处。
# detail.close
Taken together, the parts support one another, and the picture stays clear at first sight and rewarding at the
  second.
= 总的来说，各部分相互支持，画面初看清楚，再看有味。
In sum, every choice serves a single clear idea, from the placing of the subject to the last tone of the distance.
= 总之，从主体的安放到远处最后一抹色调，每个选择都服务于一个清晰的想法。
"""


def _read_book() -> dict[str, tuple[Twin, ...]]:
    families: dict[str, list[Twin]] = {}
    name, english, chinese = "", "", ""
    for line in [*_BOOK.strip().splitlines(), "# "]:
        if not line.startswith(("= ", "  ")) and chinese:
            families.setdefault(name, []).append(Twin(english, chinese))
            chinese = ""
        if line.startswith("# "):
            name = line[2:]
        elif line.startswith("= "):
            chinese = line[2:]
        elif line.startswith("  "):
            english, chinese = (english, chinese + line[2:]) if chinese else (f"{english} {line[2:]}", chinese)
        else:
            english = line
    return {name: tuple(twins) for name, twins in families.items()}


FAMILIES: dict[str, tuple[Twin, ...]] = _read_book()
FORMS = ("prompt", "composition", "entity", "text", "imaginative", "style", "abstract", "detail", "long")
