"""Words that a period may follow without ending a sentence, and words that begin one.

A lowercase entry matches in any case; a capitalized one ("Sun.") only as written, as it is an ordinary word otherwise.
"""


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


# These never end a sentence.
NEVER_LAST = _words(
    """
    mr mrs ms mx messrs dr drs prof gen sen sens Rep Reps gov govs lt col capt cpt sgt cpl maj adm cmdr brig Rev
    Hon Pres supt Insp Det mme mlle sra srta vs v cf viz e.g eg i.e ie approx incl esp resp ca z.b d.h bzw
    sig dott см напр
    """
)

# These end a sentence only if the next word is one that begins sentences.
SELDOM_LAST = _words(
    """
    inc corp ltd llc plc co cos bros jr sr etc al st ste mt ft ave blvd rd hwy dept univ assn assoc est intl natl
    ph.d ee.uu lb lbs oz tel usw evtl ggf str dipl ing av ул г гг тыс млн руб
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun
    Ala Ariz Ark Calif Colo Conn Fla Ga Kan Ky Md Mich Minn Mo Mont Neb Nev Okla Pa Tenn Tex Va Vt Wis Wyo
    """
)

NAMES_WITH_MARK = _words("Yahoo Jeopardy")

# These are abbreviations only before a number: "No. 5", but "No. Not now."
BEFORE_NUMBER = _words("no nos nr p pp vol vols fig figs art arts sec sect ch chap par eq ver n núm nº op")

# Words that begin a sentence far more often than they follow an abbreviation within one.
FIRST_WORDS = _words(
    """
    a after also although an and another any as at because before both but by despite during each earlier for from
    he her here his how however i if in it its later many meanwhile most my nor not now on once or our over she
    since so some such that the their then there these they this those though to under until we what when where
    whether which while who why with yet you your it's he's she's they're we're that's there's i'm i've
    mr mrs ms dr
    """
)

# "5 a.m. Eastern time", "8 p.m. Monday": words that follow a time of day within a sentence.
AFTER_HOUR = _words(
    """
    eastern central mountain pacific atlantic greenwich local standard daylight et est edt ct cst cdt mt mst mdt
    pt pst pdt gmt utc bst ist cet cest jst hkt aest today tomorrow monday tuesday wednesday thursday friday
    saturday sunday january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    """
)

# "?" and "!" before a closing quote do not end a sentence when one of these follows the speaker's name.
SPEECH_VERBS = (
    "said|says|asked|asks|added|adds|replied|replies|told|tells|wrote|writes|cried|cries|shouted|shouts|exclaimed"
    "|wondered|wonders|tweeted|continued|recalled|joked|quipped|demanded|answered|explained|yelled|whispered"
)
