"""English words that carry no content of their own."""

ENGLISH = frozenset(
    """
    a about above across after again against ago all almost along already also although always am among an and
    another any anyone anything are aren around as at away back be became because become been before behind being
    below between both but by came can cannot come could couldn d did didn do does doesn doing don done down during
    each either else enough even ever every everyone everything few first for from further get gets getting go goes
    going gone got had hadn has hasn have haven having he her here hers herself him himself his how however i if in
    instead into is isn it its itself just last later least less let like likely ll made make makes making many may
    maybe me might mine more most mr mrs ms much must my myself near need never new next no nobody none nor not
    nothing now of off often on once one only onto or other others our ours ourselves out over own per perhaps put
    quite rather re really s said same say saying says seem seemed seems several shall she should shouldn since so
    some someone something sometimes soon still such t take taken takes tell than that the their theirs them
    themselves then there these they thing things think this those though three through thus to together told too
    took toward towards two under until up upon us use used using ve very was wasn way we well went were weren what
    when where whether which while who whole whom whose why will with within without won would wouldn yet you your
    yours yourself yourselves
    """.split()
)
