"""The words of each language that carry no content: they tell languages apart, and they are no terms of a text.

English has its own list in `language.py`. Japanese, Korean and Thai have none: they are known by their script.
"""

COMMON_WORDS = {
    "de": """
    aber alle allem allen aller alles als also am an ander andere anderen anderer anderes auch auf aus bei beim
    bereits bin bis bist da dabei dadurch dafür dagegen daher damit danach dann daran darauf daraus darf darin
    darüber das dass davon dazu dein deine dem den denen denn dennoch der deren des dessen die dies diese diesem
    diesen dieser dieses doch dort du durch ein eine einem einen einer eines einige einigen er erst es etwa
    etwas euch für gegen gibt hab habe haben hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren
    ihrer im immer in ins ist ja jede jedem jeden jeder jedes jedoch jetzt kann kein keine keinen können konnte
    konnten laut man mehr mein meine mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne sagt
    sagte schon sehr sei sein seine seinem seinen seiner seit selbst sich sie sind so sogar soll sollen sollte
    sondern sowie über um und uns unser unsere unter vom von vor wann war waren warum was weil weiter welche
    wenn wer werde werden wie wieder will wir wird wo wurde wurden würde während zu zum zur zwar zwei zwischen
    """,
    "fr": """
    a à afin ai ainsi alors après au aucun aucune aura aussi autre autres aux avait avant avec avoir ayant
    beaucoup bien c car ce ceci cela celle celles celui cependant ces cet cette ceux chaque chez comme comment
    contre d dans de déjà depuis des deux dit doit donc dont du elle elles en encore entre est et étaient était
    été être eux fait faire font il ils j je jusqu jusque l la là le lequel les leur leurs lors lorsque lui m
    ma mais me même mêmes mes moi moins mon n ne ni non nos notre nous on ont ou où par parce pas pendant peu
    peut peuvent plus plusieurs pour pourquoi qu quand que quel quelle quelles quelque quelques quels qui quoi s
    sa sans se selon sera seront ses si sien soit son sont sous sur t ta te tes toi ton toujours tous tout toute
    toutes très trop tu un une vers vos votre vous y ça avez avons sommes
    """,
    "es": """
    a ahora al algo algunas alguno algunos ante antes aquel aquella aunque así bajo bien cada casi como con
    contra cual cuales cuando de del desde después dijo donde dos durante e el él ella ellas ellos en entonces
    entre era eran es esa esas ese eso esos esta está están estas este esto estos estaba estar fue fueron ha
    había habían haber hace hacer hacia han hasta hay la las le les lo los luego más me mi mientras mis misma
    mismo mucho muchos muy nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por
    porque pues puede pueden que qué quien quién quienes se sea según ser será si sí sido siempre sin sino sobre
    son su sus también tan tanto te tiene tienen todas todavía todo todos tras tu tus un una uno unos unas usted
    ya y yo
    """,
    "it": """
    a abbiamo ad agli ai al alcune alcuni all alla alle allo altra altre altri altro anche ancora avere aveva
    avevano c che chi ci ciò come con contro cosa così cui d da dagli dai dal dall dalla dalle dallo degli dei
    del dell della delle dello dentro dev di dopo dove due dunque e ed egli era erano essere fa fanno fino fra
    già gli grazie ha hanno ho i il in infatti io l la le lei li lo loro lui m ma me meno mentre mi mia mio
    molti molto ne negli nei nel nell nella nelle nello no noi non nostra nostro o ogni oltre oppure per perché
    però più po poi possono prima proprio può qualche quale quali quando quanto quell quella quelle quelli
    quello quest questa queste questi questo qui quindi s se secondo sempre senza si sia siamo solo sono sopra
    sotto sta stata state stati stato su sua sue sugli sui sul sull sulla sulle suo suoi sé t tra tre tu tutta
    tutte tutti tutto un una uno v vi voi è
    """,
    "pt": """
    a à agora ainda algo alguns algumas ao aos apenas após aquela aquele as às assim até cada com como contra da
    das de dela dele deles depois desde dessa desse desta deste disse do dos dois durante e é ela elas ele eles
    em enquanto entre era eram essa essas esse esses esta está estão estas estava este estes eu foi foram há
    isso isto já la lhe lo mais mas me mesma mesmo meu minha muito muitos na nas não nem nessa nesse nesta neste
    no nos nós nossa nosso num numa o onde os ou outra outras outro outros para pela pelas pelo pelos pode podem
    por porque portanto pouco qual quando quanto que quem são se segundo seja sem sempre ser será seu seus sido
    sob sobre sua suas também tanto te tem têm ter tinha toda todas todo todos tudo um uma umas uns você vocês
    """,
    "nl": """
    aan aangezien al alle alleen als altijd ander andere anderen ben bij binnen boven daar daardoor daarna
    daarom dan dat de deze die dit doen door dus een echter eerst eigen elk elke en er erg even geen geweest
    gaan gaat had hadden haar heb hebben heeft hem het hier hij hoe hun ik in is ja je jou jouw kan kon konden
    kunnen later maar me meer meest men met mij mijn moet moeten na naar naast niet niets nog nu of om omdat ons
    onze ook op over onder per reeds sinds soms steeds te tegen ten ter terwijl toch toen tot tussen twee u uit
    uw vaak van vanaf veel verder volgens voor vooral waar waardoor waarom waren was wat we wel werd werden weer
    welke wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zoals zonder zou zouden zullen
    """,
    "ru": """
    а без более больше будет будут бы был была были было быть в вам вас весь во вот все всё всего всех вы где
    говорит да даже два для до его ее её если есть еще ещё же за здесь и из или им их к как какой когда которая
    которого которое которой которые который которых кто ли либо лишь между меня мне много может можно мой мы на
    над надо нам нас наш не него нее неё нет ни них но ну о об один однако около он она они оно от перед по под
    после поэтому потом потому почти при про раз с сам самый свои свой своего своей своих себе себя сейчас со
    сказал сказала так также такая такие такой там те тем теперь то тогда того тоже той только том тот тут ты у
    уже чего чем через что чтобы эта эти это этого этой этом этот эту я
    """,
    "tr": """
    acaba ama ancak artık aslında ayrıca az bana bazı belki ben beni benim beri bile bir biraz birçok biri
    birkaç birlikte biz bize bizi bizim böyle böylece bu buna bunda bundan bunlar bunları bunların bunu bunun
    burada çok çünkü da daha de dedi değil diğer diye dolayı edildi eden eder en etti fakat gibi göre hala hangi
    hem hep hepsi her herkes hiç için içinde ile ilgili ise işte kadar karşı kendi kendine ki kim kimse mı mi mu
    mü nasıl ne neden nerede niye o olan olarak oldu olduğu olduğunu olmak olması olmayan olsa olup olur ona
    ondan onlar onların onu onun önce oysa öyle sadece sanki sen şey siz şu şöyle sonra tarafından tüm üzere
    üzerinde var ve veya vardı ya yani yapılan yer yine yok zaten iki ilk yeni yıl
    """,
    "id": """
    ada adalah agar akan aku anda antara apa apabila atas atau bagi bagaimana bahkan bahwa baru beberapa begitu
    belum berada bersama bisa boleh bukan dalam dan dapat dari dengan demikian di dia dilakukan dirinya dua hal
    hanya harus hingga ia ialah ini itu jadi jika juga kalau kami kamu karena kata katanya ke kemudian kepada
    ketika kini kita lagi lain lainnya lalu lebih masih maka mana masing melalui mengatakan menjadi menurut
    mereka merupakan meski namun nya oleh orang pada para pernah pun saat saja salah sama sampai sangat satu
    saya sebab sebagai sebelum sebelumnya sebuah secara sedang sedangkan segera sehingga sejak sekarang sekitar
    selain selama seluruh semua sementara seorang seperti serta sering setelah setiap siapa suatu sudah supaya
    tak tapi telah tengah tentang terhadap termasuk tersebut tetapi tetap tidak ujar untuk yaitu yakni yang
    """,
    "vi": """
    ai anh bà bạn bằng bên bị bởi các cả cái càng cần chỉ chiếc cho chưa chúng cô có còn cũng của cùng cứ do dù
    dưới đã đang đây để đến đều đi điều đó được em gì hay hầu hết họ hoặc hơn khi không kể là lại lên lúc mà mỗi
    mình một mới muốn nào này năm nếu nên ngay ngoài người như nhưng những nhiều nó nói nơi nữa ở ông phải qua
    ra rằng rất rồi sau sẽ sự tại theo thì thế trên trong trước từ từng tôi và vào vẫn vậy về vì việc với vừa ấy
    chị
    """,
    "ar": """
    أن أنه أنها أو أي أيضا إذا إلا إلى إن إنه إنها الآن التي الذي الذين اللذين اللتين أما أمام أكثر أحد بعد بعض
    بل بما بن بها به بين تكون تم تلك ثم جدا حتى حول حيث حين خلال دون ذلك سوف ضد ضمن على عليها عليه عن عند عندما
    غير فإن فقط في فيه فيها قال قالت قبل قد كان كانت كل كما كيف لا لأن لدى لقد لكن لم لن له لها لهم ليس ليست ما
    مثل مع من منذ منها منه نحو نحن هذا هذه هل هم هنا هناك هو هي وأن وفي وقد وقال وكان وكانت ولا ولم وهو وهي وهذا
    وهذه ومن وعلى وأضاف يا يتم يكون يمكن يوم
    """,
    "hi": """
    अगर अपना अपनी अपने अब अभी आदि आप इस इसका इसकी इसके इसमें इसलिए इसी इसे इन इनके इन्हें उन उनका उनकी उनके उनको
    उन्हें उन्होंने उस उसका उसकी उसके उसने उसे एक एवं ऐसा ऐसे ओर और कई कर करता करते करना करने कहा का काफी कि
    किया किसी की कुछ के को कोई कौन क्या क्यों गई गए गया चाहिए जब जा जाता जाती जाने जिस जिसका जिसकी जिसके जिसमें
    जैसे जो तक तथा तब तरह तो था थी थे दिया दी दो द्वारा न नहीं ने पर पहले फिर बहुत बाद बार बारे भी मैं में यदि
    यह यहाँ यहां या ये रहा रही रहे लिए लिया ले लेकिन वह वहाँ वहां वाला वाली वाले वे साथ सकता सकते सभी से सबसे हम
    हर ही हुआ हुई हुए है हैं हो होता होती होते होना होने
    """,
    "bn": """
    অথবা অনেক অন্য অন্যান্য আগে আছে আছেন আজ আপনার আবার আমরা আমাদের আমার আমি আর আরও ই এ এই এক একটা একটি একজন এখন
    এখানে এটা এটি এত এদের এবং এমন এর এরপর ও ওই ওপর কখনো কত করা করতে করে করেন করেছে করেছেন করেছিল কাছে কারণ কি
    কিছু কিন্তু কী কে কেউ কেন কোন কোনো গত চলে ছাড়া ছিল ছিলেন জন্য তা তাই তাঁর তাঁরা তাকে তাদের তার তারা তিনি
    তুমি তবে থাকে থেকে দিকে দিয়ে দুই দেওয়া দ্বারা না নয় নিজে নিজের নিয়ে নেই পর পরে পর্যন্ত প্রতি প্রথম
    প্রায় বলা বলে বলেন বলেছেন বা বেশি মতো মধ্যে মনে যখন যদি যা যায় যারা যে যেতে যেন শুধু সঙ্গে সব সবাই সময় সে
    সেই সেখানে হবে হয় হয়ে হয়েছে হয়েছিল হচ্ছে হতে হলো
    """,
}
