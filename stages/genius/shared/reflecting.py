"""The words in which a contestant reflects: what its picture lacks, then the picture again (section 3.2).

The paper says that pictures are "evaluated and re-fed as context for refinement", and no more; the words are our own.
"""

CRITIQUE = """\
Nothing is to be painted now. In <picture> stands a picture that was made of what is asked for above. Work out once \
more what is asked for, then say what the picture does not do: what is missing in it, what is wrong, what was to stay \
and did not. End with a sentence that begins with "So what is wanted is" and says what a right picture shows."""
AGAIN = """\
Make the picture that is asked for above once more. In <picture> stands an earlier one, in <critique> what was found \
to be wrong with it: mend that, and leave the rest as it is."""
