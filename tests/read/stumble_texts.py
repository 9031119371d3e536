# ruff: noqa: E501 - a sentence is a line
"""Short texts, each of the kind that readers of summaries stumbled over."""

RUMOR = """Shares of the brewer Halden fell by nine percent on Thursday after a day of heavy trading in Oslo.
Several forums claimed in the morning that the brewer had lost its largest customer, a chain of supermarkets.
The chain was about to clear all of Halden's beer from its shelves.
Trading was so heavy that the exchange stopped it twice before noon.
At one o'clock, both companies denied it and said that their contract runs until 2031.
The price recovered about half of the loss in the afternoon.
Halden was founded in 1874 and employs 640 people.
The exchange said that it would look into who had spread the posts.
Analysts said that the brewer's figures for the quarter had been solid.
Halden will publish its next report on the ninth of May."""


QUESTION = """The town of Orrin has drawn its water from the same spring for two hundred years, but this summer it ran dry.
Why did the spring fail when it had survived worse summers?
Geologists from the university drilled four test holes around the spring in August.
The answer lies in a quarry two miles uphill, which was dug below the level of the water table last year.
Water that used to flow toward the town now collects in the pit and is pumped into the river.
The owner of the quarry says that nobody told him of the spring.
The town has been supplied by tank trucks since July, at a cost of 3,000 pounds a day.
Engineers want to lead the water from the pit back through a pipe.
The pipe would cost 400,000 pounds and could be laid before the next summer.
The council will decide on it in November."""


INTERVIEW = """The director of the Marl Theater, Ida Brandt, spoke with this paper about the coming season and the repairs.
The stage has been closed since a fire in the fly tower in March.
When will the theater open again?
Not before the autumn of next year, because the insurer has not approved the plans for the roof.
Will the actors keep their contracts until then?
Yes, all of them, and the orchestra too.
The ensemble will play in the old tram depot and in schools.
How much have you lost so far?
About two million, and a third of the subscribers.
Brandt has led the theater for eleven years and will retire in 2028."""


NAMES = """The Arden Prize for translation goes to two people this year, the jury said in Leeds on Friday.
The jury had read 114 books from 31 languages since the spring.
It agreed after only one hour of debate.
The names on the list are just two.
They are Mira Solberg, for a novel from the Faroese, and Jon Abebe, for a book of poems from the Amharic.
Each of them receives 20,000 pounds.
Solberg was a ship's cook before she began to translate.
Abebe teaches in Bristol and translates at night.
The prize was founded in 1962 by a printer's widow.
It will be handed over in Leeds on the third of June."""


COMPANY = """Tornby Rail, which runs most of the night trains in northern Europe, has asked a court in Malmo for protection from its creditors.
The company owes its lenders 310 million euros, most of it for sleeping cars that were ordered in 2021.
It said that all trains will run as planned until the end of the year.
Tickets remain valid, and new ones are sold up to four months ahead.
The number of passengers rose to 1.9 million last year.
But the costs of power and track rose faster than fares.
Two funds have offered to buy the sleeping cars and lease them back.
The company's owner, a family from Lund, has refused both offers.
Unions fear for 1,400 jobs in three countries.
A hearing is set for the twelfth of March."""


COURT = """The High Court of Verland on Tuesday struck down a law that let the police keep the location data of every telephone for two years.
The court said that the law treated the whole population as suspects.
Parliament has until June of next year to write a new one.
Until then the police must ask a judge in each case.
The case had been brought by nine lawyers and a trade union of journalists.
They argued that sources could no longer trust them.
The government had defended the law with the number of burglaries that were solved by it.
The court found that only four percent of the data had ever been used.
Two of the eleven judges dissented.
They wrote that the danger of terror justified the law."""


RESIDENT = """A landslide cut off the village of Sorne on Sunday and destroyed six houses, but nobody was killed.
About 300 people left the valley by boat during the night.
Geologists had warned of the slope since the rains of October.
"We heard a noise like a train, and then the window was gone," said Marta Ivers, who runs the bakery.
"My oven is in the lake now, and I do not know what I will live on."
The road will stay closed until at least Easter, the district said.
Soldiers are laying a pipe for drinking water.
The district has promised every family 5,000 euros at once.
An inquiry will ask why the village was not cleared before.
The last slide in the valley was in 1911."""


WRONG_PERSON = """Judge Clara Venn has left the inquiry into the sinking of the ferry Astrid, the ministry said on Monday.
She had led it since the ferry went down with 41 people in 2022.
She gave no reason, but wrote that she had not been shown all files.
Her place will be taken by Ruth Okello, who is a professor of maritime law in Ghent.
Okello once worked for the company that had built the ferry.
The families of the dead protested against the choice.
They said that they had trusted Venn and nobody else.
She had visited each of the families at home.
The inquiry was to end in May and will now take another year.
The ministry said that the files had been handed over in full."""


PLEA = """A baker from Tolm went on trial on Wednesday for setting fire to the bakery of a rival in which a man died.
The prosecutor said that the baker, Emil Rask, poured petrol through a window at four in the morning.
A camera showed a car like his in the street a few minutes before.
Rask, who is 52, pleaded not guilty.
He was at home with a fever that night and did not leave his bed.
His car had been stolen the evening before.
The police found petrol on a pair of shoes in his garage.
The dead man was a journeyman of 24 who slept above the shop.
Eleven witnesses will be heard before Easter.
If he is convicted, Rask faces up to sixteen years in prison."""


CAPTION = """The old lighthouse of Skerry Point was moved eighty meters inland on Saturday, on rails and in one piece.

The old lighthouse of Skerry Point is moved eighty meters inland on rails on Saturday. Photo: Jens Holt

The move took seven hours, at a speed that no snail would have envied.
The sea had eaten the cliff to within six meters of the wall.
Engineers cut the tower from its base and set it on steel beams.
Forty hydraulic jacks lifted its 720 tons.

Visitors watch as the lighthouse stands on its new base on Saturday. Photo: Jens Holt

The county paid nine million kroner for the work.
The new place should be safe for about sixty years.
The lamp will be lit again in June."""


CNN = """(CNN)

A cargo ship with 22 people on board ran aground on a reef off Madagascar on Friday after its engine failed.
The crew was taken off by helicopter and nobody was hurt.
The ship carries 3,800 tons of fuel oil, and one of its tanks is leaking.
Fishermen were told to stay in port.
A tug from Durban is expected on Sunday.
The owner of the ship said that the engine had been serviced in March.
The reef is part of a park that is home to rare turtles.
Booms were laid around the stern on Friday night.
The weather is expected to stay calm until Tuesday."""


BYLINE = """本报讯（记者 王小禾 通讯员 陈宇）

临江市昨天宣布，今年将新建十二座社区图书馆，全部免费开放到晚上十点。
每座图书馆的面积不少于八百平方米，并设有儿童阅览室。
全部工程预计投资一亿三千万元，由市财政承担。
第一座图书馆将于六月在城南开放。
目前全市只有四座公共图书馆，居民平均要走四公里。
图书馆将招聘六十名管理员，优先录用本地毕业生。
市民可以在网上推荐图书，也可以申请自习座位。
去年的调查显示，七成居民希望家附近有图书馆。
（完）"""


LAUGHTER = """Moderator: Welcome back to the panel on night buses, and thank you all for staying so late.
[laughter]
Moderator: Dr. Amsel, you have counted the passengers for three years, what have you learned?
Amsel: The night buses carry four thousand people a week, and most of them work in hospitals and bakeries.
[applause]
Amsel: If the city cuts the lines in May, about half of them have no other way to get to work.
Moderator: And the cost?
Amsel: The lines cost 2.1 million a year, which is less than one percent of the budget for transport.
[laughter]
Moderator: The council will vote on the cut on the third of April."""


VOCALSOUND = """B: Okay, so the remote control should have no more than ten buttons, that is what marketing found.
A: {vocalsound}
C: Mm-hmm.
B: Users told us that they lose it twice a week, so it should answer when you whistle or press a key on the TV.
A: {vocalsound} Yeah, um.
D: The case will be made of rubber, because that costs half as much as wood and does not break when it falls.
C: {disfmarker}
B: We agreed that the price stays at twenty-five euros and the profit is to be fifty million.
A: {vocalsound} Okay.
D: I will draw the case until Thursday, and then we look at the chip."""


FOOTNOTE = """The number of hedgehogs in the county has fallen by a third in ten years, a survey by volunteers has found.[^1]
More than 900 people counted the animals in gardens and parks.
Most hedgehogs disappeared from villages, where fields have grown larger and hedges were cut.
In towns their number is stable.
The survey recommends small gates in garden fences.
It also asks the county to replant forty miles of hedges.
The county said that it would pay for ten miles.

[^1]: County Wildlife Trust, Annual Survey, 2024, pp. 12-19.
[^2]: See also the map on page 4.
[^3]: Figures are rounded."""


ADDRESS = """Bramley Clinic
14 Mill Lane, Orrin OR3 7TD
Telephone 01632 960 114

The clinic's emergency room will be closed from the first to the ninth of August, while the floor is replaced.
Patients who need help at once should go to the hospital in Kelsby, which has taken on extra staff for these days.
Appointments in other departments are not affected.
The pharmacy stays open until eight in the evening.
Blood can be given only in the morning.
Parking in the yard will not be possible.
A free bus goes to Kelsby every half hour.

Bramley Clinic Trust, 14 Mill Lane, Orrin OR3 7TD, Registered Charity 960114"""


CHAT = """[12/03/2025, 09:02:11] Messages and calls are end-to-end encrypted. No one outside of this chat can read them.
[12/03/2025, 09:02:40] Lena: Good morning all!
[12/03/2025, 09:03:05] Omar: The landlord wrote that the heating will be off from Monday to Thursday next week.
[12/03/2025, 09:03:31] Lena: Oh no
[12/03/2025, 09:04:02] Omar: He offers each flat two electric heaters and takes fifty euros off the rent for March.
[12/03/2025, 09:05:17] Pia: <Media omitted>
[12/03/2025, 09:06:44] Pia: I asked the tenants' association, and they say that we can claim at least a hundred.
[12/03/2025, 09:07:10] Lena: 👍
[12/03/2025, 09:08:26] Omar: Then I will write to him tonight in the name of all six flats and ask for a hundred.
[12/03/2025, 09:08:59] Pia: Great, thanks!"""


MAIL = """Dear all,

I hope this finds you well.
The delivery of the new looms has been moved from the second to the sixteenth of October, because the port of Gdansk is on strike.
We therefore stop the old line one week later than planned, on the eighth.
Night shifts in the week of the ninth are canceled, and will be paid in full.
Please tell your teams by Wednesday.
Training on the new machines begins on the twentieth, in groups of eight.
Customers have been told that orders for November may be up to ten days late.

Best regards,
Helga
Helga Nyström, Plant Manager"""


JUDGMENT = """原告周强诉称，二〇二二年三月，被告刘敏向其借款二十万元，约定一年内还清。
借款到期后，被告一直没有归还。
原告请求判令被告归还借款二十万元，并支付利息。
被告刘敏辩称，这笔钱是双方合伙开店的投资，不是借款。
经审理查明，原告通过银行向被告转账二十万元，被告出具了借条。
双方没有签订合伙协议，店铺也只登记在被告一人名下。
本院认为，借条和转账记录足以证明双方存在借贷关系。
被告主张款项是投资，但没有提供证据，本院不予采信。
判决如下：
被告刘敏于本判决生效之日起十日内归还原告周强借款二十万元，并按年利率百分之三点六支付利息。
案件受理费四千三百元，由被告负担。"""


RULING = """This is an appeal by the tenant, Mr. Dorn, against an order that he leave the flat in Weir Street by the end of March.
The landlord, Ms. Pell, gave notice in June because she wanted the flat for her daughter.
The tenant replied that the daughter had moved abroad in May.
The county court heard both parties and found for the landlord.
It did not hear the daughter as a witness.
The tenant argues that the notice was a pretext to raise the rent.
He points to an advertisement for the flat that appeared in July.
The landlord says that the advertisement was placed by mistake.
A notice for the landlord's own use is valid only if the use is intended when it is given.
The advertisement shows that it was not, and no other explanation has been proved.
The appeal is allowed, the order of the county court is set aside, and the tenant may stay in the flat."""


MINUTES = """Minutes of the meeting of the Parish Council of Orrin, 4 February

Present: Mrs. Cole (chair), Mr. Ashe, Mr. Birk, Ms. Dane.
Apologies: Mr. Evans.
The minutes of the last meeting were read and approved.
Mr. Ashe reported that the roof of the village hall leaks in four places and that the builder asks 38,000 pounds for a new one.
Ms. Dane asked whether a repair would do for some years.
Mr. Birk said that the last repair had held for only one winter.
There was a discussion.
It was resolved by three votes to one to order the new roof and to pay for it from the sale of the old school.
The next meeting will be held on 3 March at seven o'clock.
The chair closed the meeting at 20.40."""


FILLERS = """Anna: Okay, yeah.
Ben: Hello, everybody, the harbor council wants the bridge report by Friday morning.
Anna: {laugh} Uh, right.
Ben: The bridge needs new bearings, and the old steel costs too much to repair.
Anna: Sure.
Ben: So the council asks us for two offers from builders in the region."""


TURNS = """Ann: The old bridge over the harbor has to close in the spring. The council wants two offers from builders.
Ben: I see. My cousin repaired the bridge in Kelsby for half of that price. Builders from Kelsby work in winter, too.
Ann: Then the council should ask the builders from Kelsby for an offer."""


SHORT_TALK = """Ann: Hi, Ben.
Ben: Hi, Ann. That sounds good!
Ann: The council wants a report today.
Ben: Thanks a lot."""


LONG_QUOTATION = """The mayor of Kelsby resigned on Monday after a report on the cost of the new quay.
The engineer of the harbor defended the quay before the council.
She said: "The old wall would not have held for another winter. We had to build in the storm season, and that was dear. Nobody was paid who did not work."
The report puts the loss of the town at four million.
It blames the contracts, which were signed without a second offer.
The council will choose a new mayor in May.
Three people have said that they will run."""
