"""The weights of `features.py`, and the words that developers' texts are of: learned, not edited.

`python -m tests.trials.guard_weights --data DIR` writes what stands below the functions. A feature's place in a table
is its checksum; a weight is a number of eight bits times the scale of its table.
"""

import base64
import zlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

# The last places of the tables.
LAST, LAST_OF_FIRST, LAST_WORD = 0x7FFF, 0x1FFF, 0xFFFF
# Log-odds, of what is learned from: above the first it is a secret; below the second, by what is asked first, no more
# is asked. How they were chosen: docs/decisions/0029-guard-scorer.md.
THRESHOLD, LEAST = 2.5, -2.0


@dataclass(frozen=True)
class WeightTable:
    """The weights of features, and what is added to all."""

    scale: float
    bias: float
    numbers: "array[int]"


def score(features: Iterable[str]) -> float:
    """Return the log-odds that a value with these features is a secret."""
    return ALL.bias + ALL.scale * sum(map(_weight, features))


def first_score(features: Iterable[str]) -> float:
    """Return the log-odds by the few features that are asked first."""
    return FIRST.bias + FIRST.scale * sum(map(_first_weight, features))


@lru_cache(maxsize=65536)
def _weight(feature: str) -> int:
    return ALL.numbers[zlib.crc32(feature.encode()) & LAST]


@lru_cache(maxsize=8192)
def _first_weight(feature: str) -> int:
    return FIRST.numbers[zlib.crc32(feature.encode()) & LAST_OF_FIRST]


@lru_cache(maxsize=8192)
def is_known(word: str) -> bool:
    """Return whether a word in small letters is one of those that developers' texts are of."""
    place = zlib.crc32(word.encode()) & LAST_WORD
    return bool(WORDS[place >> 3] >> (place & 7) & 1)


def _bytes(packed: str) -> bytes:
    return zlib.decompress(base64.b85decode(packed))


# learned: 2026-11-26, from 118,830 examples (27,612 of secrets)
WORDS = _bytes(
    "c-mE2!LD1!k*#hvIZcW$Xi|)aF|ugVgh44bz+@c2m{pTQE40T0FoG8jFbhV=!tlzU(4=YMBFTalFo3h81ucxMyv&jsXaFw-%qB}A$cM~1)y=2OgYc+#d2e@h)u~gb>Ut3?__-JG%Q`DIIuRo_OFoMI3H~b*B~PP>a}w}n--yR=UN&wSI(Kb<"
    "@QD{^5^n9vM)<G(WPMtHyd>P<y-8TxSP8h|ljMWs5G3v5xxuXynN30zCkK25o05Dgjtk2MzoYLuF}NEy*dWn{g#XLR!YrFplVuQTu=JxBGhK+D?!c2d;lUhNH1b^ZIm?qqb0ZE1>cpLdOpDdv{34h*p^a*N%6yhjB=Hs>XOS(JN}YX@evXNc"
    "sp}*=n1%DHB|>lEnR)ey;~FmKhxp8J06mo95%GN-><5wF!Ea?R{3j<l3S45O$Aw}m$$|#B_pDXd>JMTP&EIGv4NvN7i+%iFHl8LOGD0aiO2RomP7S`DS_IJH{^tWeg8(qHxCw4cG!m;{0uNw=Zqo3o&5N+f-%cb3=c8P#Iwxlu8pX%kup1dL"
    "z!!XF@!;sUHZO^U#^vIWQw$la`)DP>ACsY}V8MofiLF6s=@oca4y!;P;o%_+MJO5D?RVcQzFe9EEN~wHD&wA*9WK&(gDa77p!J5v4s^xWmVPJl0v|^y!3Em3_!7VZ=y39pF&B7Oif7eVG;^(%eI*(_KG&0>s59a;^rzW6z*+*snq}{07-i<u"
    "Tg(g|;fRp>pZe^+I~OY$w3!IKpt;kAbCSlv(_=h=2i!kU0HqIegXeLaB_j%GAW>F4n#G2vS3#biqdeLpUI=~a71Tw>(E$L_>gi|Bz>zE6nwBFKPhS2Vwu}u={)Kb^vIqLi8c#G$!`o=h@H|AK(F32meYwbl?D8OI%he)$5;{Fyd(7RFCWEFD"
    "fiP064Jt9fI7Aq$xRr*+APd(8M|=WlDKR4VcfiaToYNQc5GQAX>1}DbM?7LhP)4$yX%B(?4wkTwkQm6wlE^j`K$8{Jo4RFGLh)H9XG3et%}prIF>(lJ(Lb!|KE<US(#7+NX3Zzbdm<uyl_jj5E*;!Kzf4L6vhR#bE}24$H}VfZ22SxvJ={1a"
    "N##l%dtmnsf+~?hTq}2(G}V4d6VrdhZ;`z8C=NdWugbv1;t5?4Zj$Amr-z&Ua6^77Ibjw~zLz_^)nU&l%1C?g4L>uvCX>iO58&5$NuDsgdr~-E28x^;+^r$}KAyN$Rsu!Vk5f)1(Y!{6J2oX(P(KbroBQ_R+>C>CWMaslG4^DEy3$QRZhvpd"
    "404R2MSm7{;UXbhF_q_Y3W_2>Vbr`Vg3MB3cI98KZQuX(Q|=6K`TyYsOTH}}DX$sMCftBTHXyfg&lU%=uHeEmL$dTE6Kep?G2wG<do@xb72*=S(M@+TIVKXAWgIKx*ozjSwbA3#zrNAJ=+!epDcqENd50whnG%5i%1vW)ijU}X7#F%S#agqs"
    "ZQ-*IYZyTjVY6;q`ON__`#701(ZGsDP>`uY*l4J`@{xLO494^89IV}2Kf&$`n|iPbhAxdMWfE(rj$BxgA`NoR?b~|Zk^I(MO}a{}=UU|o=RTZ_<Ow#JXS2{lJfZ`Ulb<HuI8NngUM2{aGe$km-^h3O7)h2tS3Cih_*QE(9RGI~W3bCi9szI@"
    "kit{HgJv;??i-Xs9p6%NUWM?AIq-xVkBTUn2c;Fqob`^!Aes1E%e6!=68M;yvBR(N?4=X|ETQoTB@ekp`W-*uc!px1W|T%wPJzhUD&bwzzRf#26)jyQWp^VXuuK^q4CpzNniXOh^)(eq!3e0Ee5@KK9}e<Ob$O0`d<#>DLqhh3iGPOwCQ2kO"
    "ybVi`o&_mZMOq746w7_0rN+1fVGs(RLJR#$(k$c9R%v~5@{E*O*&*uA#mTcQJSR+f6W|>yS*0_0I$tz&MrDb#$;&h9M|A+CpGVv>lMO7>5{e=-8(M_^BKAB$*(D=W7u6bluD@DhiV|h%TgAfAJ=s}UpW(R~w1`1ojKTCL-K^(|Zd6^H%#7zc"
    "q-u**qP^7tW53itvTI#Ipgfr-r4Ybr|9o{G!jplOb5N<Yh3Yu1fjiqDiFv}jK_ag;p+oew!c7z^DY*zyiNhYLusmu#q;4R$!+I}+B)vfn8ULV)61ewhaXvLng%(u}aYqlLjDc$v3-c?|AgeXc-xCWB@)xsnZ5CIi=P&sDQ`nV}-<fOF3`JJI"
    "42Tgb%l-ID&)U!lr$ogF7$+@&F!TvwZ<V_IEH~Ti3V((|^f5r5d<mZ%m8WT%{BIx2EA%}jhKEq0)CM2GfKRC?M<iHPqPVXscds;JP`V>o1u|?15{)v)ABz>eu(f$S*5Xj&q)e_WFBd4fz_96&)Gb(JTFYf9ezaj)G6-CVD~Cl}8m&z&u7rd$"
    "&~drt?#Hafv(%iV`X63v7vg3{B!C;TcLOz5+Z`X6Ng&DA$rgcOrz1CF@;1oab@2amjL{%cDJU@hs00Pkx3S#-OBH87qw2J&XhPPu_Pk_304X=nXwQ0}8iW{9k@#Xi;X$1Ju-2+3+NdBWg8rdp(y5?#(rl7l!!8Gmnn^jx*#^V_I#O+R^QqAy"
    "l)eXYPUWaEMSm!O8Kta>iOOdtS4k&t3!fi=8QnzEHzlurPg~R^I1}D(Jt*4y$Ewm=2GOC%qDy^wye``pp&D*GEx_cVN~jZrZc^TTTRGGXuJ`k=kz)liYd&+Du*~@a4HaL`0$<ZY{Q$6eso1arA?LI=16M%g8}o-!+wZ$$D$ZFJj6s={CUne@"
    "0O}dbW3xCe+8jBo8aCO$Dq@)?Jiwj;eu0}EPZv*)f|VJ{b$7O_f3#H|!6)r4Y<*&Vj3EHF_KD<~8!Bz1NEuZH#f+59^JLXyY1=9`+WYI$KoPZG=1AEh^vU%-=~?%#Hy<0{Y8a(s)je)2+L77Q(NsA-^Ro7qlC(Qzbj=)9CuvCz`IJ>HyC1#e"
    "0ZpSj=G%4(=kn$%i9({};^8KYjP>SSy#tC5H=z<x*xPhO9xb%{Jem-Xlx;sI|F^eQsaxyXV*lDjg$t#-y?{7fs!DjMXWj)Bs@^Fth-G`Yu|4-n<;3ZM&|R%F7+7T?A5SA328?u4Mv{A=KvpK}JD}UBX@#_#TeL!E^jh2aU&Es_>lH-aPH)E>"
    "l8)%N_ns;xJF8ykB8QM)?0&r_Au~3zqx6XE3sov$$^#N5dX<45uId0zHdcAc;Yel|2$pk{4Q#1(-r?hHN(AMeq$dtOom17YMzUAV_70V%RT(L1mo#udVh&A(iL|n`VNOTJz)TLV$O$HPhj_cQ=Y*g#d?@LxqX-I3rdazwz=ANe>_Lu!k#CS`"
    "Tu%SkX3GaUmB@upZzm}e)!y1gAN2OgGQ_HOx!3$(c(p?d^igMQ(j+Ox3&3j=FAorO+<@jf{GM#qrf!8`^||(VI@9=t0@Kxr&J>$-`Xeh`ol@9q5kY$xw9bXz5?IilkTI}%?|3>iewv4t6O#<=*`5hLW^zv25#@9d6|72NU;1lN0&r(N+2g#Z"
    "*GqsU?ky)N!`i_{79)LZP5*nRRbTuu7>>;Vj3cWlg@g9=_NH6A!lW9hFGH=T+VHt$oiD^%x=`S*P0WSq=my0hFBF*U>b5dNP<?h_#rNY#g>m<}%caBNIx}`QJwdCy%4J3a!a0{2S=+`93!}FU)oN|A5I{eb6AG+5QRw2|R!MlOeO=Jgh<vT}"
    "n!S8mYI+}>%_&t8_9~C8_T^?4a$Dym=v+6cxH81EOQSuh|AgMC8#m|cd`8e(G6rdiF6tF5{idHpk0gadb~0<q0950BAm&z}@v+X^DCyg%vOzu}p?XzW@@o#ga@5HRVbNu?pjt!an!Lm}u~F{?HDv8tOr^B?jN~;JlDoDY>0aC~r1vEXZq+q|"
    "(?K;_Vmwh2&N?lGj{HcQ09$1UI>5}~2xR~~J7G#7j9aE`m5mOkSe6iMtD?bD%dEmKl%mg%{vAk_gXWiZ&z{+Cuh~dX&z9jTxcX3^>FZiv)Mcxngs9@()}+6KCPC}fHjnG{)2$l2O`>B1OHC+U7rX*9wrh_(Qie!p>put_et=l5E={1$N%Kew"
    "7+NMKs5f;$Crbc@>W>&*kQt3)e@s11F*L~~F!9Bt$jk)#XJ=z3^aL^ub#d8d5ewRLm2RMk^8bI_b@rP2snpL9%~D<|;fw322ei-Y6bb@EN3`-*=QL3#riCt{x^pJ^z<bNmUoe_Tc4MYnx?yi>3&KvUWfMJW)UFj4*my;Pu~n-0N-FIT+kvHo"
    "V=LyHn@R?d+No6sfERT{)V`9Bw0kyv2<UvFQn&WyD25zKL(K25K5$RzDbz~Nz_qF4Ko|GLddD}2PgDD@6w1I#N4-l^0GGpUTc%E0xjOlc0wS|)hFI3Zm=Rjc<tq~o@YoLU?6Z%^Qgt1X{(<U|t^7nv^NOAR#4;V<NoJ{ak`Pj~6=i^xcRFJ9"
    "a)s#+paz0Li_8?T*^-o&rp?v^*AKDKa#F<V4`%>j79XnkCwwCbEmkF9w>apelQe3EEPOlsS9=<z45OVt7g(V<F$d3)n0}B*NZqnjSMC%u2ddX{82Ib#p|&08IoCCRj<4UinCa`+FC3WQs}{5>=XYRcPN3L~X%~58PWHZhgvHx(A9O4=*O6y<"
    "@};VGuU9{F`VxTiyukWnajNsK?81Jf1hKTd=34t3Ii?o>yG1*|7e8>db`|~ywwS45?6+7yp9}~1`s%^7SdvVPDt2dN_ppj@%Kb7$@L14yQZVD)PKWS`6PDf(zFU^GE|Qs~t<BJ7lgq0gndf|t1CCk4v5sN#BNlt*-H#QLoP{8f%%#q;;o-bz"
    "7U{^hj-`7VTHuRX%(5A4msdTxlr`iU@gf~4c_bX!Cqj83>9!ZNT&H`e8)8;Ik%Tk8wmLGnDuS%NKCiSFuJf9Brn$@|*kG7zsQSkmvY<_O!vsPT9Lhr4igd3luZI%eFxJ%(mc9imQ-z{YQp!-ypJ`q~G(GNKcfOdETDaN_^O<eiL}hfQ@&mG#"
    "oTyAnnU;8ryUTSXxML+MTA1zR(iq3dB2HqQ)n4i6aYZ+FITASGVT7?Q=1{7(@cp0yJ>g=;RzdwLwxi??Wb~Ufa{re2#saCqH%fsT$vd`N4oX4Nn`l0xW*ZB4a3!s!OkMvg6gfD9;NxI~$+}&B!SP3kUNbd$OLm)TGQ1#KCMAJUSJqy2<Am=?"
    "Vj1`AD+7H!L3_l&1CD0tTmv>u!8ESQo42HOC%^Bk7G0gC2UR6_T!GwjE;ubt`&;zM7My!e5jSSh{F3RF%L~f>iQ4pRZ->&pe3VxeEP~$mIalaW32(-(Eb9NW%)1IKEKeriCA2+{eCgphsLDEzaVlgI8KTSw<d-MD-eb%0fWv&Tf7IRnRq~Ge"
    "`!YMaBiNYYf2XUdFX@8ij|%z_-mq1l_15~zG;>&<VtG#*!ef;5mwonNHAy&ajB#WTu$fE~2O+J}cY0Of{i}>F)Ef!#@^adSZMsoXho7rR2rFAUAO11q>!mQUGaDNBZJ8Iv8xE@OGAw$^@=nkvP58SD)K<<)AbOvc5&l}9A=4$b%6QpwG6d#l"
    "D}uVsR}g!B@%W0;H(HJd2_Q0R<lE{p<2!1f1YY8wrP1~meM9r1PcJB<QF>aXo3mQel=Jm{78)O_>i_N$W|~jVKIRI~K=pE9Hkkhd2O`#*"
)
FIRST = WeightTable(
    0.023847,
    -1.6460,
    array(
        "b",
        _bytes(
            "c-j@2Nt2}6m6p%F-#q&4F=a+XX5?5ZNhwupXo;@wwq5}02E#A|c5GO%<1g?lSg>QoiUkYN2EtGaL)MLiT2)e2W~p+HjM-=Z<~trvEF;3hzkAQ{zR&C4@X^f`ysXh~v%#iv@711Wo%8|#8NmPqSI@k|UhRJ8b2){`0{As-r<W;gC6=rVdS|!>"
            "5f%`^6hGCVpkwxjaN_YbU!A-7@pd3!3lseWi^{szLa)K^4=mhtGd!rp-L}KvL_b(6?EtIo1KAs8Wv7$5^(`1!3gw{+YwY56ti{71vKUo%i+n#%W9VA}?4rB6-yF4bqegZxc|C@149eTwQM$`J&%fI^DabIf)4U$5E2r^!i~zkvDhN(-7k>K-"
            "Ww%1n<#1W#DP6iOGL9;c*aaLAEVlJ;JV+ll^Uj9_qU8q(z#kX@6P($xvfVe7-BWP++6de^$r^>3K`3qY*r{eSAC&(<;~jcJ3yfLcm?z6ET@c#42CU_}m9_U+L4#G&rZpWe)5EO_!EIhgRMA9cTlt<>X&KZeU@nMr+l9tx`&W7hbp{ftw7=br"
            "7mk_2*^|<be7B#|1#fnCBefBZbt>M#?v6jIS?8b=xI8T^aFK{=vWYpPVh?)Pvcp%C;+pD5uQq4!bSJ1}8ddQYs&6h1fEQ@K5AD#O<>G!eK4>aE<j*@~MOt^$Q-7Mkp6mwwjKLzgA5E1ND1yzlb#dRpT4k=O0Sk5kd|<i|uo6-GZruvtcVYjP"
            "D>eFw)3#9^V=F;SWZu4ZkuJN#A}FbV7B&*Awm(x?aO3_UKWD1|!8tT|{?^-2=}HM#i0LJIh~HFg2{nJ|7rn*-fTu7UwO}$WA84mB=HXbW*e~2^T{I`3blbzywiA4+$`<n0er;_AY6q%r^>GQtwhip8!hO^FIp{jo$1Yf*@cRL<Fwmiv&6LM;"
            "5B`}CYiIEGp&Wu$s0ZgZd@;;jSsgUGL6q3UZHS$hYAn!+?1ykot-Jw!gIqP*GFb(K*abOGw_3J6x!)o*(UcDJ<{{jf+LRXYWl!!o7T&ut?gzqM)q#GBAOVNV#(41PBwvg0F75HX6grTiYiN#{4^Vp?h3^erWtz?PF|D1iJqw2jTi!8vatOkY"
            "GFA-KmyX&WGFkrLk=mRs&nEz<8<4tl-;O{xiouz&>t&U6@|~>be)|mz@jx%&&b2qTdyUs6J^RVuURwOp$Kv-z64-6+`)vd@$Zb?pvq@(-h?DSa=bM(tY3FTcZx{}soSEIa^WZuR*HLVHsGRoFJ;3pR#=u<-ZT>2Ac0hF(xHmC237M6qfmL+$"
            "D+nYw8U%CIRvr39NU9X#&8O(Q?z|7qsa2^^fInV;{00xSIDV+$;dmEh3w$z*oaN3v%n=j4HPlwnC!|De1s*`yR{YM32kjk1Ve7R8-SZj?|K|JQ&I|tvt~<pz*xmj4XRDD1qupjEO7*Xqz3)pug#xS}KN}10_tzli=HM!6HE1yUMu(dd?-WpK"
            "&ORc&>AvFG0=QF*GjK&>B}tG>OQhL-KXgYMbnxd+nQruofld^xhN_jPCeUzO&wAz+bJ_LbH+TIfe>FQ0A&xYc&Bw0pIw-Nt=Zu9C_F*`8)Z?BD=#Ph&&OQx(S4w9>YLbh5b)D%V6fkhExIuk*L)+uUt#V%eqbp3k{a+Z>UDk*JvzTo_Q#&gq"
            "DjPN>9it^v==n5^HHoAv4777QDj9pQaT7NdUQH8uhbrcxQ)K!zm>L&Z`aXqTflzqwYA135EWCTYF4%c-l^#r$ub3}C61N(F0iqxF7vs@9L}0#htFiX-!SjO!3vF*-TQeVtjc>XCF%%U(CNYkbAsKcQjG(#R_qUK;(E}P2%;O>t_=tX}ze^XA"
            "XY-$Sb*1ubjENa5jN1yWo8$e0Y1`Iix`@|_eJZwa4f-=pg+Ye@6>Rj9Urec=-3_-j<emF@<PLRfFYKLd8?NnP2c}mS-_C6kypmV_%x=%<HgE5wJtN~7whwCK<c?4#a(nq066U}6BlFU(Y`k}4sg`%zCV-@4iDIX8ZP=Q52%%Rhgxa(l={eg5"
            "IQydKz|~_dY#3nMdnqCVJaYVpZVOdO0&4P0TL46er_A^<sp{)ksQ8tUo(aZgE&;Aasuj6#VwKqAk7i_nz%(Abh-MSNvDBJoU&AhE)m3<N`R2=T7Q<^&afY7FtOD|tXRd`0?{3$ofWC691i#2q8g2&<VduOyTItkBGwPHp&CU7Tm4({hcqH<+"
            "A5B=_lKXol-u)R2NR<Sjv7T`GQwt%QXeiX^^YNxkwlwpOI{^C#;BMHaw3WK#Qv1CScL_{T+4uKN613YL-ja2;8|y4xls(AF@>W--dM=EPWTyun#HNq5+%)RG>Kr)ONft~U0ge#N^VR(W3>%Z@^|vaYdg-;QSQod{pgk=!9PC!|!jg{UN$+c_"
            ";fRA1$hiwG=azxr$kS1u>Y?X-cl%M;*-+RWn$GZW-Gec>0hg-jz<boSdX3&%TzWE8Hq$ZrTc<h$0iTk<2O)SU;VnHmwdDKKQiGKzi*gSV8^n4w>QWd|S=i5j9Z9=6u&(mxFz7vy)|bqJ--n4?(KVM^8^f;_U}U>vQhw~IZls!sU4s2JKlzkc"
            "gp6~S>nL}i=VrqH2h<7ERAw973h}G>Fy^qM15BU?jb^7u!Qe?4TsYE(^9bK?*g89FQ`OImudTRr;O!#@GxEU%8^A6syoN#Mvfv1@+q1YA9ta2cHOW9|wpn4ngcm|%UBFe?6q7AC3~$LR?R^qot@%b^(ts}V*DdZf1Tr3a@X$5B_?ysxoB`_{"
            "`1W>7?f(vH`c*_+pjhg0h<{<*<qtUG7@gGBQ-3<bJ_b!`e$t~SEF#gBAZGsIWTVc)z}}^&wz70#C~J54Kh+niKXe91%AWT*_Kbe7VI~f7c(PmTXw$vk6*T^yQ|+<MXs`m8LlVWp|8F5swRyo#Q%HDKvtAR;aF^yjFShe3P`59^)4n25VFHgA"
            "(P}~C-*N(k!JI`7Mk(SbPoB}}zY(Qb3>qfn+B3`=7OT6s+i_DKtLJ+yzFRYq>6y@@ZBV|lzhs()gV0{vu7$YX`fzoBf{kf}ZOgCEH+B(C23LvOr>(7YWh;NrI*LCBQHRS!kAoaL5M$MOPsAle?vWBeFjS(mw>WURxB`_+I@<;MzS`n59Swgq"
            "xaP*rZA<eC`RZ3PP)`0P*xCmS)}Z%J;lrqRo$IMVya)$G1+`YMX=xT9FmOgs8X!_z<=T*Ze(7B10Nq1HbUFs(c$cC*p8Ijrbx*nHDQJIFo=elU69E~p%dCO<!(h2K*M?PI?nPsPwOyw&Dj-L~EY^8W>CT8_R)lojJ?Jk<0SL??>{d=@BqL0x"
            "np-WMPVXS6g*U8&@rRJ24;4JnO^5{g<0C`*8jH+XSbgX=2slu7Js^vp;mr{Y(98ZL67O#yFP@m-COAs0cvs7*W9Q@D@o)>%=g^}&!~$MQ*ep~qBXC(x6b(kGYtp0`dWUd19w;%o)dZFo-~9$Sj_)37cOZQmSG&K|??d8T*9q=&=eR!Vyzf{O"
            "$EJ56NeVd;6{J;`gKu48MOrw$6_2&QoK?ZHH1j|f5in1v499HM4?wR$N-UOuV@C)`uT>LMzn?5G3$5!9jt_YFD;q$=WxFz`9bli@EEtb2)BmWW3$&{4I$ff0I@6~hKu$vTjqr6Bv5je8HNfOC8QzW;M&<9F@y>OsQ|uSo^z(?0D7V%`O=2r5"
            "Xh4Bzf8DDI#Edze&uPv$|MYp^l%Q?s80@v3;dvm)r#H^OlPlf8Wk#2<QBH^7dTaBYv!bS<0#&Kd(#!riv$|TxwIC9Sc1rIO+JESDQH)wkS4KA49`C^mjg@v(M1CRUZW^=`ScR6<cpr&lHnbZW!$iV;I6aw`f}?xw=Ct~>rnRYt$VsH{dcByU"
            ">*IgB+j<U#B$xyQ9Kb&(vak3a5itZ`hqWhZ+V-40v-W%DBxlq2IVi+IK?4}Mc1-Vd%iZ3s28t+~jN0nR*44P$`@0mD;r7uj0gj$#>(BU}zwe<Xm$hSfb2EPe(;6Ohdz4rjABOnXcXTpzfd&2ULb`fP?@2IO8yhqf(N;8Wg4E=86>hezS%r-<"
            "o&#HyTMl<=m&wPt{c3#z=1$^zqg5s^uD-5AW`0Rz0S-8|XlZr!E?Nre`w#_9U?B;uy}3_U^$j1SYBbnHAP;Toy2nrto!8}@*5-158(sdKoMFwCzqY|Jg7AyMeJ<7-kG_G@yGz^8ir0IweW;sO(W0{UswNp6Am=z@KXjZ3ds)Ym0}9tV4b#cL"
            "sBH-4v}Uz&V?T@Co9nCg)Fh@o>Z~FcjZer7kL9=VD|l~0j@&*YFit?Xe5n-rCLngaWNy#~uYfp7Y9rRxpE_l&j988G^|_r%8h+rz>=oRlHS&FrHG<o!AKoBdx*kEwub&{OnJ(o^rpYg*XXOTh%U;#dl&1FP?<>F~(58CYmJu}gG&AaWNX+J4"
            "UYeyP*y+gc@cx@?bAeB-92bc~8lli#UFa(IA!3wo?RuADBy;?~BPoE%P=55yLG_7Hv+5@BqJ1!tm^U{rt*|bw3Dr*)lp}uvzmCWqHqI$`O|Vxwk@FFUDll3+?gO2B70fU{p)t^`>X#JetE;WuLW<VV#b<I5y0Yy0rdqwH41VEx&F$wMqa+Ca"
            "6domh2^6M+GxHIvZ%_3&Us2)&Z|hLf?hTC}2{OP2jtkZA`{)Yh=o8QkPxjFb6sF>jXLrCs9~!VGHQ!Aaz8xliz(5KcZ+qVY)~wF-(lJoMF46LZTT4h?@cqn%)MMPXair{1k5U(!G(FhO1l~w>hl)x9G9bdO!>Dy`8{rIPu~{S(?<peJo<Ya5"
            "+M;tPY4nq&Q%`8U!)(fy+@cB;aL?B&_26A?;WAg7zZmrQp^JqncEWKyFBEK|#uovOicw>dul1xgCu`CJJs4=aXT7%V95bN3`G~@v`NZDtaWv>C_zB-8us=}XUO6nYADeq<cF<FQ+6nllK``9F@`ED+*S~s2+9AYtzGb;u+RdJ~J@>K7<t%ot"
            "R$Wk+3?14{%BYcM?#qoJ0aA;$(2wAFF`)p`gb)ZjZqkB#y|5?49U>m<rfx^<DF0A%3C6yiRy7p{lyrtP6z~Mfy;gR6hS;jWZAD_3727U!a|u_qC4YKi+&Pr<=7Md!_oFB!Ba^#XF&V(}G(4e^#*6>sNugIJ$tTkrx>w}kQuIbZd#rHF{B)Q("
            "EaEmAkuE!Z0*Q_G9xOdQkT&L~{lv9J7VOvvUYfQt!u(5&ah4X6LVsfJ*KP>?pC>ISlfMeub$525X0PB&#eW|tYf(GK_akYp*;r(^8{CGGHEUE*k?c|UFtC&S2Q8~fE3XhAEMrHRm`?H3>>Pan@9PXtDMLJ7L^8EQsDqql&{9lF;{9gV|5q5o"
            "#0H__ko72*ftY}OHLiy}3Pl&+77ra4y3erMU%N!NiNPZ>DEPr}?(HL4&kIRpR5kv+zJm8-4Pg|wCzGIX-cArBHfE#)>IV+sk3NJ@yPF0rGm;R3zoP99TK4I;duKF$djYT)clr7+DNJ=r#_pReS%-~v)&N;(Dvf$KgEXMF*^@5=V-hT)pp;Ik"
            "i>ZZ{b<yU?BkZG#m!>OBPIioOmVw!o3~<lUYA}ak==NyrOrzY|c&@9U(AVT|bgXkIH}8w>qZiw+u-?tCUh5x0y%8g{U1Bw5bpLZ7HMmp2KW=Pfb>cO#<E<#SX1M-;5IC|#%|myKD{W=Jc67{aT+i&;6ic}Hx@(OBF~GX=gD+hF$AJ23VtG5v"
            "=20)5;>O0}F(rXl6~x~6+F<><gLMo%I0n6H7a{tN+1t=ScxlvK!?c(VEEF9NVBs2oFHkd)z-JwoX<xRRebd9Wo&$svNPJ^IEJ=EUPA6x=;lTpU!W&_L&H0xL%{|ShuLzYXBdGrYF3a|NEAvzMtra$@@IvoX*gX_#HI2<{{NldS?G+4L22$G~"
            "7?)_iU9my9b&QL<60Z?rgd5#4f4TS_pdA2j_KknI_hHny1I^KF%|Yhz-#{Jfk7g}J2CRHNK83-w?Q6=Xn{C&LC}e(U@o9M2)*B7MF<qXSZ7A6;rtFNl2SWe0Wx7Ha`w=9aax_bwC9fx;>QUIvqbr3sElc<GnqLWTJfnOLKVG(d0YM9oqgB;F"
            "TlP`^FRnn3Wl-&%RYlu$6H+&Eye!qc3^tDUToQ2SY5P4nkM=ewZAOW1hH1*s{J9$}z$G=ZGPIJHG0D;d@RX5N$^;Fx=aBaPan}peE@@snvbf+Kj7A>(QB}s>5${r&-zCzrvlb4R2uw!{o-*khru(ItJ|3V_u%;Y+5T=(^!1IKHPUdsxh;%<R"
            "R`<p=Grq#WUE%|muzTfmEQ-uG18)C}qCTyxvG#yGFt|iG+7CXLBRPocQST1OCHV^SzM>51#cLfG;MJ?od@^?UC#rN<PY|mBT$rvNdXMbDByFMI+HeDKa^Qzxc+fLpq;bgscI*he$pr;eYDZ2f4Mw_&bPEOZ?y;b@9F*@hj_GW_s~5AH@B5Tg"
            "{3J=?2fI<h{(U<0qn|-yl-WfhVDu`oJ!}(Fj`(Ln*@>zWpU!j7ki?6`SfMY;=wbO=+$(qCVn-kM7R#B>A!_{yhJK8H(>O>hQg-Y1*AP2jRL__>h`|}Jmr@8UdVQ(XqNZ?h%*n!ob;&*sI(Rc!CZ6c~`Eu-oydUW<evjvr54>@JHEu5L&F)*W"
            "EHLSV{BWNpU=>Dxfh*x{6E_&m<1+~22ISv63JXU;@@U+msjw@*r6upOinepX4sHnvCn8_=$`9Z!;}SUp2OcFNFd>Wk+E}0H9#_vX@AjXj5MB6W2DVWC2}atGb+|N=7n!*UYM27M`-!?C-Mj`h*wLBO+Y*ynPmiMA8h%=o<}D}1?0N3m&CUF8"
            ")wUsfY1EMEH_c{yDEYG45y`iNs3^p`+=!jTYyz=@VNgYsAB_D`LlL8a!Uj|J=5Bil@_oa{%Cg<-puVG_MzzN2m3Ka_wQ<L=M%b=;#FUP&@lyULb`r^b3o8k#PgPh{m)XePrNMY%z!EP|4AUbZd}D%NN0fe|n@5`|LGW5^6|i@{i@m{Dw?u2R"
            "x6U@=SM?)Eya;S6!C|Ny`vI?3P+C{*6^kuP*$W~UTv17Zn;SQ7DG`$(=VAYN>7fbV7Y^*!qjxU0Y}4tEdg9IZs*Mq(E1?g6GRhZ44!?p%V1Kkfi>kgHF<4nQTPBe0^eA#Xqk=ghIndx8TCToZ<i8^l!#WnTj~%tPqclKQLNnU(t*S1|1+l_T"
            "U*8Gb{SU5v^}Bhx6mymd{wPm_u$<t9kwgFXOTLFok{6SC_lN^6oWpx~0FC_)IOc~FTquMl4dQlv`?0Hr_uGfi4yXOXxva}i2?6W2wfnobAGDu8bA#)hvm4!4A`wdK%Fv%L`xMK1b$uc0qK^`fLoY%t5xBN|(ZWa6i$G%yv!u@`z}v*F|8f`("
            "z7v6u*L-6yDMNP#dbdxf=T-4m=WJ0<VU_;(hR1)M!;41S(Q_ls$bsO2iYs<`@Q#X{<MkrE!*l4fgEJwhny+2w4ylAn3`9NK<x*~xqID0NA)o4SC7gg6PdE|pOiio1<5seiD$5;88W-+=u>?(~AxvVb;pN_MaJ_l=C)D&EI`}E9dm9=LCTj!U"
            "HRQn8hO~s~!t@zS_77b9Bx`HCUCaCrT$+??H_5e6`jeV~0g(b9u7W{$orjO4Xa`WSG$_zy-5sL(z*VXl1N09m6_PHR3O;|SYiBrBYtvjH=`cp}pplhTPgx`iMoqb27tT0-Jv=uM7y&e7oQ%U*Z=YiSfjMB=6!fWGUa(FK=4LtadfefRM4Q0y"
            "?SfoK`!&O!R`^MDlfZC#Ru6nBIMpANIAB;h{_7`Gw~fAkIMxH6(7$ZfX&aCvAHpBmFv%gf!AC0?qm%>JNIGTn<tuyrtnVa1DLeVkw80TYH?Ono3Ize<$56a4%^(jVFVb%w6&CCpFLx(Yh5JrB)0vpOk_1=gs7gqjz2=iQj5CO}*RU=v+Yhn;"
            "?aCn7$sBRdILtctAiEw40B5=|$p75`{|D0H+W"
        ),
    ),
)
ALL = WeightTable(
    0.015771,
    -0.1188,
    array(
        "b",
        _bytes(
            "c-kDiX|H8Tnx$p4?deQ+@+l%RG9$9Gs-d6@)KJh85|f00KgB104HA4n2nnH<pn>YDuC5-kIx{09-NW6l-|0+ywAqYxG9pqL;r9%CzxKXst!HoBx5WRJ7g6yni5DGt<5|30lbTaL>xotk`PafRTKr7*^7T2>A+<h#9=V*$S>{m4&GxhiG3DHP"
            "u@TM2u|k$*OH4yv^k?%=*^{?!TK9B4$(17WoOOA69aZH?QJW)odR=6q#1zNo-~!7_j)@Q%8lPxp+7?bXc08{FYg{zLmgCQFz2ug8mkKGffAQJKX|rNW;l$?tWy4Dvk1XpzznDx&-AeJ2_B?58r#vR2G8c{i>0BZYwNQ*oPfz(N&*jtjl<~1I"
            "R#mZ?a%dt+kqD(lAyakDlt@k{K1h=A+1pH0Cup{-ra=wyeG8>wj<)0-$q`?jyQFqsuSesxlKQu7bQ@Alcy}nyW*LZjlt)JeiK1+JSE_YhVL_<%d{#c6ND?<?UsJUa#3rXmQ}h0$<=wG8b-hzDrp&$fkC8<(((g-QRPkJoO*6)07Zz<}O66#?"
            "nwROnAbakkTa3>moz$E~KPyJ~+=L`4PG|Om83kciyO`7O^Ax2?#<3=!ESs@nUlvbH5`J#-Lm<RR+sM>r5ta32TTQNQ_<fsZ8bkEk;?+P?Et$R{A=i$R;(X*QmB~Q0XT&hPn{O9us+!bT%9v{AusY^evoB{N%PJ*W^45O0+<kYl$8xQ=1s}rr"
            "<FwEuNLF9lCbL*YvLVdq^nwnOE6*pU1*NJj)+<YW|JxGxHPOTBn&+<>OU*MS!O#{hvlN=NxVCgErjGs^m8_*{PvV?&ioN>JXdWxSy{<$GZOS-<ybnv2Qb>_qrQu1?|1d56@y&YGrEHk0v#D2$;rGG@of)s=!m9LAGWi=$iA*J9WCV)uf?7nm"
            "(!Wc|4b|*t@jgaUh)PLW@!CH}*#?)@<K(RK!t!P+PySF$OC8F_!zRVX5R)^X340m>p>)i{sqJVw<)lOuJzKAR#c~-x7hdXX`IR6)@KEB<)|jMO-Mr`aHQE0*vn+O4R+@Y*DI;=KO7L_^cD0pE(TR+BeRunXmE0b*WEgp#4`fM9S9Mr=#lOf+"
            "s>DHh5$G^jMaG+&Hw$e{kmS5n{fq%@x^4ZS#=xqkD3(GPQkGe*JNp;jV6at5lyS?SDlxBF-Z-nNC9U2DUv$%rK3n?fc}Wuqn6mWqC@U>viaYAgZ1Y6Rj@!hbQj(3IuL4I!_}_X;QPwz7HmGz{XEbMglDVwD<A&Ba21hl0X5GHl!aUl{9*Q9S"
            "^0<)prmU=_^hYl<XQoC=bNfE*B18-Qm8{^YHX>7Z8wpRHs@;>1w!^ZgLi15$U{Z+ogLsnvgf)qqRaHgrNVV;*YH|42*=tA1<-NlaCUMG<6?8Lda~_#!wLG`!ilqP3MArF7k`G3-v`LC8BmBhHbQesS8u^(md15QfwTe`V15s~MpJ#Q*wdQA9"
            "xu_G*XeR25I!&}@CRhROezuIvw2F5V*^NAtP>T1i;?G2!7>%r^*YS_NH*1Jg#7|Q><151K=3kbGq0SkF=qXE9rJ>rD#Ky&E8YHJFu<l+gCC(y!zLH-ScF2}Qx#4s{4dRuBh-Awd`SeJbPce6q?DA)4BmVPfy6*;E*Slg(zCt_VDAqG<hcTa7"
            "#khK}re%^>%CQxCeeaXbMinkrgj>?k`P)OGk&}JmKJy@6?yD~|-$~tjX18;7rZ3Kqm8sBz=LKS<Mv}^V8dDL@4E5>b4|J`dUTG1FnH9Mai7{O&ML(0HC)+9+E63}qmLE<_6j{qcDxz3s<e9r<UC4pVRirqZQokW;<gAf*Ifu9B9g%P`O~fpg"
            "rE-?z3^rA!Yjl6n#aD`GM(d`~9bs`CC2I}+s#cNr6Fyk$c%%9Bq}@NNXD5D-K_}f#^uNn|9T$mNXVp-;N`&iDab9K`$O_F!YD<5lsckdK@?l}DY0=DvZ#pAx&axz1bgKtX4PzlBM&W-bPZ~NYnj>LUm~ppUuLpZ2nzsJawCEF&tS&kngJLU^"
            "?dZv=uC{-s2(2eo*Yv@}kZE79bvdkRUx?u4Sn+QPH=~{fZT(u9*}?g1<&Swo|B_c57FkpEFr)f0lj<R3B(e)J5IA0l>^PImb!u5r{Sw!;<iSnTY~8}hgX-^Z-?YtS$iu5RM*1zB2l9W~l47M%$xGI&p+DTdk;g!$H!C)cl+v}Jrb9E@;x&eH"
            "d?j&A#Z;8!R=Z7RUsg$1eVoH$SiOR{Ohu&_OH}XV0m8^8QU=%DiZ^{-8I*9WP5GU*aF~~#FCmOIV@oRQay}Q>)o9-nsocrt=k_RI9638ekB+y3$f<I_Ez5~`iiTI8_`n#~IQzLoO^b7wI8=HZk`ej{H*1idEL~zB7ORb<p3#b~xWOVuW^Pl`"
            "oX0x4J$owkDr+HYcjjdv$)Bd#$t)hUCwX9(G&a3(4yg!bIBq)lEGucD4->Qu28i$Rvebl>?+IR}Xd5f2RYo2ov^3;dT7ML@KwQi8tn1@J^i>L<hJ#vR7S6dL_NE|yFnj1LS~#z<h=d~eL=_2wgOJJ7c|)zUn?Pk<B;}3W5krd*H6<%0+lln5"
            "tNqo%l*f_AxgU6yPI2AP%c1>#WOFpgPjvX^AdQG&mrmy?*K=ueBS_J_%`7-I$${S7mDp+JlX)*o&eJY1!wKWGP6y6&GpDXgm&GmQ9HudQ@lc2MHZUl6S{fISvS^2#jHJNjA~E(*Snmn4M=3eJl(qIam?1S?e`<e>AJ~e&o(;r%TNF|awG>4d"
            "8-MxgBFUysYphymSf4|XZx6fXw6YQIuxe287ZRLMV@&=%zRrm>XQfb~E=(JN(>S!kr15h*@s<&>pcCf0EERlxt$)bOR6gvtTB==NzUkuZCfDo-mU&`)PIX8{iB&=VjC_eM4m{bs=&YH}HG(*A%2*PoBWX*=p0YvesdVG!LWzhk=`y0!lbB!w"
            "B%NpS@D^%a*NpD7L;IMZD0DJO(J@PdfWJmi$FH++ww;1(xTuD-emHo_5nd)kr|}y7p!OdV^-|YW;R#9|YKF*T%((jNeX2-GyNP?wTs_W)uPJg&>}oNP1}fGFJ~o{6u$ZG47-)nQgaSq>p-btgWf8uij?M4a@HtieeL${fc^(P-m}H?>maR+8"
            "x5dsiBMi%Ui^@>^PZ8BI0{@YuN1%D}FPI5M9?qK=l!1q<r+h9XMh(ai%8BJ;lWc|08~i|<*K@m_no55ykmbXN2QD}|Fy>qlzZ9p`LegBW3lpN{Q#4L87ak1bq!#zv?}|B|N>g$r_~(Dg3x<amQ^eG_Y5n1zQU)_8x}6~|rSx9g6JIY}<pfV="
            "Z^$#c8sA&LdbYW|S%W5;qTdWx1NndH#t2Eu5*7|e5@mkQ-ci1Q7fyO1UodMUZ?d;XhX8OORsQr<N3kB^Zp}2yo#_l5F@DQ6Ozic(BSes+BqV~bkTM6X;)W5*`me}Zu&K#YR!R2bZpgZ4%xxI8a4kRpT4$L4<ENHv4O*z>ru5Qo14mY7C$y4V"
            "Qsr+$>Y{m@%pylcS(ZMGtY7YU0FX-3ihGqzf|#(`&Z-LU(Z_%JWY>#0r;cDY>x=wYcf-35A_i;em5Q4pa!18aNu3wYMlzhku~v0Oar*EoMdP2js?L)J4X2!EQa6VpGrMUle}fQ0CuqgS1V32*C^3M{F()hLxSz`^1HScEkg5nybeUF9%0gz%"
            "e{QR{eT>;A^^2l&1XWKOxLAO8lFqRJ>uP9V5)&`9(AypIV=N96c4{n<vk>6$lE~wrX1VHNok)vY8)ThzLVLsJR6aZDXZRlzPm6a}irs{)l-AA{M9JG)YcBe9Qq5v?h_r+i)o?fe3B(vBPB<(i3wnh1V&GjP5Dlf4JSM(TlyD7ZHR)wV=9KP%"
            "kt?ar@eojZwjucur20kMl*a!KvZ~eMU+EK$6B<N7v{>9LA^Vwrq1AwVe;(*Y3L2Vns*^Y#2f#_#9Ys4YHpKsG03GByZI$3`*Op#YU+Wdj(!@gWIwM#@Bi$i)OtS8Edn{EMZJ@!$7tmj^8w6k7<i$|8rbZ0cE(CaFQF)UImdEkHK-1{#HD=l`"
            "w^+zfl|!2k8!ngvl}nfEvw(`;_m&{f;J_%kW=~YOfQ4QS%ofK|*892*q!@mZ^EGW4tVvL%$%aXbf#coX+v<HMVb;hp{i@)_r`|mOz*A+<m7N<lmdE81hklT3bucN?s<@G({u0C1Ee8&t$cCP7^wM_&l8pOEYFhruiO)M0@+Rhn8Fj)zH0uJz"
            "EM>E1Z|i;|_+z$6>%|1t=mgl$#(0%z;HNmIs7rzqo*`tZ?e?&U>!N{xrj*f@c54e~QV%kary8Ly5p^y<9ixompv=2|g(*;3yTqSFr0_^)@a0{6AWJ;;&sAohxXnKh8`5OJ*92U}lRQ-a;%T+kpS4a5V34cC(qxH8hsCoM?l;Ay7y5-4ka@Em"
            "Y>_fnlcYl?3da_ipwBzOWC?Nt(l1zO1V(sUDuLL_Q>Z6h&>+SnFo|<#eYzb3XosH0OnwO<Ki_!acc~acI6HqpjONoLt8Vu)>$@89Og8RhsL&L?hloc?n+it1#P}^Ru`jtGa{W&+ELoEEk|;2vXM}Wavu==@)L${4QV&G6Q!>pIow%~gkUmj6"
            "ny(wal-UfY%k>T+!fGHn5|YD%|K8?v5X1Izy`{Xu;Ep7xq<EnEdh>~lKJ9-Aua@AC7WI5aBbQa<TuZdzjpl__(q70&inXVE!=OZl&2wTl&P~WT?Cg`MA-Tkbbur+O`48t+asM{dva{dTOXSK1PBoJ|U_!|-L?$sjw}9n#C>R*Iy~IKi{{bAD"
            "449h?jXFy{rhWXIdXc{Lu(<nfh12eYZvD!0p*<(R1(JiTJJ2Z*Dh+N<(F<+C4-LeTOCr*9&cv^C-yLZyKVPqQv6hX`KSvC;>wH9FNfY8Ea)&`1pzC6M-*}5z%ms<W8M#KDGq(?+%TCUdm5Z6?ZdE6}s1eR_C20TEq%$P5PRrkg1Z~AY0b+P_"
            "Hygy6W1T&<Z4remS8&!EWB)13V1p2)tkA)fRu&*p=5MY4>EBuYZQ<Wnp(0l$!j-<h@u;zk$&y@!iDuUhwqoWofJTa#L&rQ|tmZo?)rot^!JLrIexgfD$gd5_uuE$bg<8rr58Z~LeN<iI(TBf+T@d0@7+OzyIwI$+P&y#DD(r|vL({f*DR!k|"
            "@6nj~3JkJ{$5J{GZpf7)!EaQ?aZvX9|ISttcSw->KcMz>W&$2yddq96T_J5y-p{+b3td34Lg&+|QBrUVR+qp`#4cT8Fd{+kPKvAaL^8QuEM@^j=9KuU*ia#W0>^@RzhrWJ+zcOFN~KygAF4pq6MtS&v%WPas)g>)(o!Y&3oI##r_H6&>EBZM"
            "lJ_89-h<rBhdoF{vg^ES-ysf@hB7{`6<IbfGW^+wt`NUJz*Ir@)DZJRkk=E6oreJtq^g#kljJfCJ#$yWX1`i{h{EijLs8#&PF;qr%n-EZ6}ZuV7|B?vv4W0Hsc4^9@2_^eCak!}4#x?R;jJ>Z)GZKlPj%YC^HP5830dA)alQnQS?1r6>+)0+"
            "%>Z4R)uWT#<)zh1;{=GgXYsF>T`diQ$f`)ux6)1R>Ps2^;k}%na&?-QxB${<B3iF`ym%|bCQ$cH@Q(E$63gBSBkmC`+K)y-#}7J}WT1&?nkE+>=g3YMN$Lp~<0~erG}pUE?``s9p#H0q1Rn*&%aw_{7i2*K1DD1M3U5|J`FVZ^rRayomM))v"
            "-DCA?gqY(qLHn`r_1b3lJ(@L>6+D)<B*hwR)=Y%$fa}LS5w>CZn$VYDa9`!GLwY44s1~$&#d26^ctfckt4Ykxr{?iMVT9tm*u>vg4LN`(`m`eFdL+U>^)BY8;A`#TGr9S63E5F1j)LkP5kq38X40dLZVi2lkQqJme;1&`zR<IN_G3{rC#)e`"
            "$v6?@Cg5V^FLcAO^t!%!UAWiWXq0(HIGL$p5C$jPKAn@hDz(A4-PQ99%jqB-3hhqZtD+fW3!j=}93)!i!z@x^ScSKcyh+gQSxrK|J*7#WVqY{oLsheD<`wev%b<w;gd?*KVdLIMD#`B)V48$EsYQZxoXR^MG5sbi9tN`7$t@H84hy%7OZ9f1"
            "45!y~1&$4ca<ct}CRBN?M7ah+fH*nh#Svd8WXATA_!#8;s~aY#B16={=YO>bO}IOkwJNGBAq^*AY%}9nDM3AE;utDSN>{Ijh802E2Kw%JU#tM}GpKZNrE%r6iwLP_e$%7|M$B5p{12aPxFc=m-1xy)n=DvGuTroyAGgHKO(#gyy}C&%hs~al"
            "2PX`2y`+l+QW=~W^$jDIq}TZY`821G<(LM<xlHR27xAtS_`ff^K(dl*p=3+F370!fqSezz=GP^oDj2?)hy2P=gf#)p3gIj37A;nh%wLic1jQQXKS$MOfSjtxA;oABk*EB73T8+)oe7O&#i{K0kBbH+NZMVG7c%*&l?y9~iijFrFMNB!Ab3c)"
            "8a3(3-@lIBDOs#)NFG6`^s9U!1;H2H)GDx_pse&M58pf3CR{FeRWq|c$awf!Q#?yf!tpVt`^*OtrD&)aG`#9Hn53MqgK9YE7XO}Q{Hf*Y#t7iX?bl;m?oEqvC=CHvFNS#f1cq{}oN{3wI<P~~+0;U#1AgLIjPV{#E!T<N{)r_@M}ZYz=|;{?"
            "QDr-JOZACY;{jIPAS@=l5%Eb(u!J;;rRV{TXw4y&hx(=y&j?-cQ(Gxhm84Dst13+eEW1ssDGBD8JO_I9aJI_VR<S9t0YR7?DPq{^v7Ev!PlT?@Rf_I|NfU(i-+P)yy{DfWWR%bOx2(Yj0Y37RVzG-e-*It2ww9*$QeHWI$PeoC!V&d(+2r7#"
            "z{DU;WbwA-w+-(?`ihuCQw>Cw1gi+g`%HJQ3L1=HZfV?!98S9o5?qCmmr7LgM7=lhU*1~nefXp#<+*B02$lu>lumZ}S@hC>0fI4pFokWzY1Y<nu9u0^fHfsxPCDl&A1>G0Nj^sf<iX;g<j;M7illP*{!JMgb8$Dan*(}(bGg@w3?QfQrrG#="
            "Yh(+}aheYkJ9Wt}3<cIhpAah3NF<5$Ilu{1r#+)ZJSnIF>h7F@cf{A}PoGXr*G#Bky2;UJYM1alVpVrxg`ig=8QCM1aYJi_GmzDa{DJdkP3MXcw}!08ZhDOI_i`V>V<nCjh;RqZM24jh67oO{g8g{mDA)0Ghwv^|w9%WVKXy;%s?NxxsnCfT"
            "n&~;EPxxFTeuqLCn@%~N1Ir^S1EHCU?T!e!iI#22f8c%yeQ3d9>+1}~wgH*d*^$g=R0$nLgd%1kioe(Kco>>O>QS*zndUiX_abTC=|D^u!goFO70+nB4&yq&jo3S^XU0c#bdfFSPVDJ7GsjUS3P<0OxnMwujjrTsENrBJ@MnG$K$%GFe1pRh"
            "@jS&*GrYo=M2E1`<d*UY;fE3Cw~6pYB^@O^IC0*UyMFm8&nQ1{gjAG$Q_^p|0Ks|*aS9)w60oaU7-Y$hn6U9B&9q`~X(buFk&QvZ0Kz++WwYlH&q~yRjI|d)-r0fme@slxyN)6n-YnI`^vA`C9B-H9%=xn|2jDa;mmQJuYz{^8gvm72T#+xU"
            ")80nTXIRSvIE_V6DxyuO#)opAG*mD1<q1<_iSxNa4rTF*iZe-@vRvZVRk3vmeHvFP(43#I-JNi42E>l5LiRwBQ~3@WEUyJgV!6b2oiy?TqG-iZrA|OPQ$V&HDDVVT7IB$RNP2-#JtM=`9T{^s?md<=l&~Tq6qc@qoE%A8FL&xA!y;3^D9Z)x"
            "va}*be(f@wG=T?y`S@Qa5=pUzZLO?d$c!$l3Wn)7&*XR9((=r&6;l;bA)~L>g%>(g7Q_5)s|bB0v4tIU2z=<D`UkQ&YAgwpm;ej4&W%ErC#gZ$px_XPN}0?AmvVW3g<y_^t{1p0m>r(ITsC?vZ&{xFY~&FXJbrN_=j1nQFF!qBZV(6o2u6;7"
            "F}h2}1aiiNOR5J`c!qyhOC^Rpent9vF*i&xpc2Wt5pJqe^?#(;tgQ5sDmw5kkww2dYcY}w2ZWI#qxF#zCHU^S_JvJ~%q&+f$!yU9eOPfeSiB%H-H=kg*)QRmPJvDeYIOi5f&XCyot<T&cZSS3c`uH!bP9DYeiGGq<4<*doJdP)I_77qS9`;="
            "-*ed#9Ln1|1~H1Bco@Q!1HXR*j}1GbhFkIRD5tZo@<Qp=vO2fcpyGK<6Y`M$i1KO;9n^ePuL@`~U(t<VY8^6J#_2oKk-YdLr>E?A)5(;kI@CabM${*fYnhBV=LvR39n<6;plRKG@l%OQp~Li3?W#MP5DZjEIIR^))kE>S+>lp=couuo@ceEi"
            "o2ENrK$!pEy3scVQIsrv&^E?4=_`RS+vlMSVETo;hyaZ%@v%6DXaQ6In;6DYOm-MNsL5d~dWb}77EmS`<DDE%h==qc<uKG&g*=nEzg!;6MCKfNwBLYCOP5_4gF!{Imnvq#^DUbyVOcdZUvCe4YQ8VjAu`#qN1)5B{vT}SPKzrF%u|^cj~w-G"
            "#U`H0oCX^y?+EdFoB3pV65KOeHib};^H2ELDVH;Cc)K4G=Hsg;dN#jrLB!q9k3VGLAlkMbcsqvT9l6|=ru%VrrFcDFE<scd+1mtn*_-3ytYf$)W)0FIbwTCohO8>X?#i)f!RmVa^-|IUvL58jah6M1;}4KZ^0=a;sOohL9-&`#nXWEdiAer?"
            "E$v2yu2uV3vjyoom{?$#+`>Vfpgx5#m&?T%IC@2URTZWB@G*l9p*91%kXIc-Ri1xKzjnQt?Q~??EODeu-%{|M4YIFhQ_G&G$FkV~>9U@AmEi7jz!2c=8M0oDRaYJhbT5T9nQB&k6bsI@sJc6se$Qs~u@L{*c2umNuf(nu-%{I(2c7b9fD$6o"
            "*JYe+x{DaNX8_5`{|r49?1}72^p>AT1gt7W8`J?ToCeq%U(h7HN$QJDl{S}M2hEp?pXR(AUM5fuihuJ?9^O@ZRPVd(k5#^AuF9(<GW;F6mlXu6j(+MK#3Mz%hWRzkij*lkw0gs8_4^r<cUva+!lQ2?u52LWW1n?BgvC|tl$G$OOER)5#=_0)"
            "=oz^g9raMT%a|O{H_|S3m;?N&MpOK*X)C*yBs-CG#YR52&y*gd9B$BZv8u@6#O0p$K=0aWy^uvT49DViuiLUF>OlQOFZV}Fedf<g)lUds3$@h&naB1Y5he%*6>iRDHm&_{&;>la1~hB&+OP#<D@wmA&G4t|#Z>Qjb`;ty>k?7)tHhUAbU7w}"
            "*)tJ2RZeVOxZ;5D<}BfBKigcc`bQv~)80)#`5Y)aGnXSd`k2=D)$)lZ6NIN_eZzf?w3P5k{`EuUn}_6v|9wM%i0irW39+yWYrZZB&8?H5FygN|=rpYp46gFOh#@^xvS0!*Ohjl3e}r3HOoEdXfP7Nix^kWPCsiUvu-=Sqo?EcX?vIzpC^(%h"
            "Sx7drr%vz@GX=1!tI2K18jZ_uu>1%1Pq$dew%2z8zAy_@tv-<)qS`phGTYPZ6B6MgQPEbP*11&im~{EJrMW7387XaA&|cXZUku6UWM?TQ&xqs|cy^Osa%sV+O~xM!#IqSQ3u#XFIHyweeXQLZH(##yk2W2|K3{Gc<%Gf5iy}X!(#6<B2v*9~"
            "(q;iwRVQS!UT<(hd_0R9ERl(Tjv*uz6ZI8s(w_NH7RtBeD#)O{C8x2XX75F*w<$uXo9JpO9*Zw(mKd+B$knFMv4T?ELxsYkF8k5!if|-$REBA(!5u=Y7>L`JXT~d*^_YB8yrw-~fQdh()<<_t%hhzb-UarM^fyy%%4KI=>fH3vV9G>4zeD7i"
            "8JVu;FC@Z_1-qZ<y<kpGD;DKPGVTxgg$BiSR5(58Z8bgdJ>G(sx(2P4ll}YrQ0QSrYW(<eZxez@)yAq!2ge*zUkyn}h_66`9H|Q{=IJ9Rye9UWbJXMqXpw^W8l=aRsM&G>imzW?ZnEEMzk2YS)+UxbKtfaGwyRKR3S=FRB#87(zgC)&gh=eH"
            "Sc7<~7sygpCYzK1X`&)cVPEi`l@K-ohh=iHH2fluxnBD!QMkXclzW7%<0_5na*3o@Oc*i}!3^WxG-W0VIwB1Tl$KTDpNF5OGS1iOhJ46|O%SA_*}Mk@YU4@&s%TCZEuV3i<W{HVrx9&ap4KC@{u|9aKPE%uaA5+7m^DnmHeI?taFt>K&P~b#"
            ";2r;5nBHA>vauOQJUcdLL{g#kSZC(e33E~gA#YI4L`GU)%@NopDtp<N(NuTblG1}@k%TI;1^gq0U+!(^C>4(0gOk`~R3}?-l?ufQWKL}*NFl5<ziwyr2l<LMUD{suZY@|>M4CsMp3~%wT3!WqIQshM@|^ZjG3O2>Gb<a=ID-7%glC#`CjU$*"
            ">2hh%Yzt>Wv;T*z8G6Q3K#&Ok+_%p%4t#Zkpm#{Cpx(vfL`KPfaIDCa`V+j)Rs+wRLq5VpY~Ybs-HKzZr%jM7{6U%m<J&1~1rYWC_Pdq2&Qu;v9ABv|U()MYzV>;G=^o}yd3`F7+DK27P41C>_SRPtX=cNEi0<WvEG^XpIvx`bH$X8$@*PuU"
            "nrQi&#!Fa?Jxu_2bkI_>VPz&pzNZOiHfQ$774and>e0+<8ag8^v;>g;#Y4>#g-cG<ZR9UECyn^B=@BtQE=%f~pA)+gJxk;JhKOl84#WI-5Ae%^t;&bCWXj9Zo@aRi56onRlvB>4s54#FmpcG=y6|)PO%DIF>1Ft_t7e&~+VgRaEt5+dmh$%!"
            "*f-zgEcTq0DaH+>n9_J#!qk-8)#%%n0MpJr##5RQ!gKB~;$KH(G}a?E5?Ni9?lu>Jq-8mMU}Z6g0xd0n(CS{)O1&^atR|GJz0gSN@mGo8Nus>$wykIWu1w7}*DI3OYr!{;B|&*U*_4MSi>tpfo$8Wc2m?R&awPUC10<~|V|;Xsyxv-3G;)x1"
            "mrDq{)6T`ady%N6cw604lUB4O9h`EPT|bfT7gp(ID3Bf3JW}?yWq|!>t_#!(ZbI2O+xs6OIi0NFx*PfD&Xp5Rpu~0=jM>iGL5h!F)VfrM>tu?P`am@zq+n^N_-pNeVzh`{9;hl35t2}r%CYD9auo(hc;^?XHPKX4lIA;N&2wjI$iHN%M@BkH"
            ";w$1fhX;zd>Qm#MXXo24YsaJ#=$wr+`OVhzI_6aD4Ts$>HU*FDBk^MaRj8~>3@XNDgG9CFLx*?IU46NT{1a<JyD&-m6+tpaXZJ<sb}{M9Bm0%GwRz@B*9$+Ow^^V(!CG_bEA!%MKCe?W$cOkcF4+kuez~_;NF`zYtb8jy|ALw?6;5FMN-Q_G"
            "fLi3EJZktK+Q)<XQR7U<4F0>^Y&(-u;UJ5Sbf+Mm>lImKJ|&yK#2-jT#)OD<`;r!c&eYyJ8FL;tNZw5InomoLYu1!MdluZo)0^vJ$N$Sfi=t;wX+|m7)Y|`#%fyZ#ne4QQN&GfP6&9b|`FeVPQ(|#$2W8@UpSpmIxo%c}ksI_ifO+hURpMlV"
            "!h(6ihRdbxD3I%D78v&I(?*tiq~vZW>N_yuI^O3nlQ<WTe-M@Ix^S|h-ow41$h1@O(~%^tR%kxh^rD+CjPZMSb9CwQ)I*qD&WxsSYzvo?g}-2J>AV-&LkWC6e|tKWv~Ik&Asa_;&IpDqD_Xk6`p>2Ie8}eP2d68_x$04IQ%azKQBr2^JG@ES"
            ">mA!@A=`R-HI5!++o&Usr)GCOi>1{k|1?D!<m>xRSk1bQ)lL(T-rBJSRdCP_sgUo9`574R7X-s8Xa_bYdNVJ-Nb07F8ya~pMKwGQDY-3v$TAG@NdJP36|c%FTsFpWF!F3Tu=#eSPB3F&<wR992zdOm3yNIRwJI;ao!1~Lq>P+ZqWU~f5qx+e"
            "sm_Eq#G9+O7Hb*2nWI3_$jrFfM8Y>rZrIzjm2g~SWOVjCtxwSF$M1kch$29pe61z@Dz|4wJh%MEx~eK@mTqcCi?wOw$EM;;gnU=HtC_sIK80A4Y<fMYKJ}QrNs%W&S#^6Kv&p>GGi|?K)EHT$U#28h;A{j$s*f#?qCrE+su~-2eh3TO(XKWs"
            "$O$62jGJpkjF@+Yv|3J<N)5)eVdgi_Ky3=~OOQqJ=q<z@CSE*gV)HY#W_;;EzxddCPVK04K#wOv$PJP4et5G2#Qh<&8%dv?SB+u_V$x_E3P-V}M2=Ok+%h35fH#&QR;RMb4OZa{$+#fhj95E>do-;XZ)Zeppq{M86->%|W=V}H23+4RG2XXH"
            "Fa7)VpJF}0GvI0=_4ZqLS77Fny^n$j<d=M_t7?~u!wV1^OrJ{8i8SQPlyesns|~k`(RqoV&K66|g^&>l5Kq*t!$L27R43DO(s4b_kw*M$*1p9usLRFoL17~0Q>gEy_brfVDqY@oPz%MW4u>L!79~|tgNY%WS^SsT9d?CQn%>Ho^wf2h>yf7*"
            ")zfObEG1<t@+c4Puyylg`zTmfc4wJvh@{G)?CVQBpJm;q<jW|Wx$K;i#&|(LAwkyJ7DQ*1Tb{PDgxLCDq97pwU%t9rVV@zEv@Fe8jEMwh>xPpL4T86AHLv_S-Q%V0_fp4GSv?+X3yJF7OC-G>OIz_dBQ0Ty*>>Juc8<K*ViQkHXha85F_i=7"
            "Uiorcn<$@qlYcI&@<09%4W$}Ie56%M#>IB>4YNOYg@4K#3Eywub1yujl)Ab|y+f#ye80p=T{e?lHk*c0-4A`2d53r+oGh!jGl`E>&BBEWkX2PlY10muaO!jO<4;kh(8npTlMvIf_#xJ#Y38)^XuCJA{&x$|>rHAH4}>*oNhjW`D`^2^=dejM"
            "uVdZ0sPlEb#^Kq_nos;Sy8omCxm+|NRShGrc3%%7yg^*uAewSS;Mzk&a7e4>q=|sDhs&M8%Z*|$!7dRoQ9!QC$x#}Qe*Ccv?dQ0n?FE&K4+kAK<&?)9NH%t(Wi4<Hia0vg*MC?6OBzc4gO&Y>h>uuKnaZ=}`98rsABRE_Y$?+lTF$<yFI&0D"
            "`b{yTOl0PVk{a|+pFb_ar)K_Kx+X9-4aWrdcZk}MQ}DrtmmgDm+1(FKMJj)L0$~JqqLRf{I{I8Fiyx3L?qtK3|A>jp1%r;ZcEx5wF96#5yt$>P0_)!fK-g9Lh!A7`@#zmy0!#n7DTgj>#Xv{{L<af->P?ykzO0h25tvm{-j%?qAH;K4r0Z{H"
            "eYp-&2}r%zs@BrU!#<l%1HxQ+sx^l8mCbO=L^ohrmFibqUnj6nyzIeeXfd_jxqXmAoIzq(1bf-d%}r#gie%5`Rh=UJLEQH<@B@RI+H{AHgGya#^?H0oOz5lFhnHhHPGe%~Lj)H1e53089@^w!CQBfj_;))X^zlX_dFHbhm13DYLYC+w0&SAA"
            "g&P-igSjT&fsCT2bgr8CLLG7@Ii|MVlC-d^8(B5W;^>tN>9@$e(3Fa-h?!pC(~%+v1t}S=n)9u_A(bFBUG@}-qLmo%ZG;+Ls#Krykg+0=jB2rNPGgjL(2N2orWa1o%&n&srD<6GAqQ8c{Z0SLsf<Cq4n8)g)`z(r)Y2i?*v^iW6?issLIrh?"
            "r|g;y8;uidE*%?p^M9|p9Vanl$MVa<$h%o$d334^BLLGPTBUyY=$`hl?zfTOz={U3uAw7ir9hM0LYqP^8?Yf~NWT=J_Hyq$**h98JGN+vj2~W>E&wb;w~?%FOI&ek1SB_lZPkWV$TNR)dfirM@k$R%NM&Bq!W%9SCDS`b0jD$#q{+)=v)?f}"
            "X59PDE2b`&bAm@hA$I>z`X0$@V2??@LuTx5mEZTu(0Y@a00w0)5w`lN5$&BTTcx9}?geSnPpc%vYZ-!l+Kivd2RkTcX{<x+B(SFPeZo|2f(0WW=#TzTYp+*=mz<5S+-4>V<%A?9_yi1JIK6BgBHu{b@8?xuDE{R^v3-+HR~kri3x~bzPsuQi"
            "^Vx(8EF!ik>0NGACiFF0qKA4z+$*Zd*tHW^YdO!Ee0lU07qxRR@WBpJ*XOQs(UI6WWP*f0&Uay|)>nHJznw|L_h)p#K-p@W^d|i<NT*%;VsBAJum;Od$+r3D^vAGTBNu46viQ5lNMslp{L0LpZG4`p&_w8QH{OeQWiO8jB4ySzE1wuqPcRu("
            "O%4;jdFTpFiNufPYNEUb?p1jhfm*4Z>tz#ZB}NV{WdhNB4z+BgAS+fXgO!Z&WxDMUt`s2`s?5JiK3{g1)zd!f)lY5s_9Oqa_=S2DK<P&25BtHLlF*Y+h~1>0p}3Npu#h(+bB+8VZPT8p;fpQ->=lrX=3M+T0I1gLbmpX?bTe~KTFdw(%GWm9"
            ";J5rAUIvST)mAJaS<^~!zeyuoA1}`$tV{rTlwk~I^?v2t?+k|1NO4;X0`9T8`tE9y5}8p&@T|GF*5A;*6wNNKmE`5tI>jn1T=sMlcnLgNb)bF*S&!!vVEUTpTo0>i=Q`Gq$FLiFRxTHc6D!Tt8)yaSk-x4AbS{5!{S$+Aevv9`0e|b=*7D~v"
            "aPge<<vQCDY6LkVBVo3hR_o2F94vX8qAEPaGtTxz3wfPUEhm$yhb6lHCFluhQXpRa{FtF35-B6;q&oU1EfX92sr;vt64UZ~rI=o6giN4tvjBXF^((0M@_mIwoGv#gWpVq=RxGo3uGLrRZUP=l#74odgx9Vq{bbGMA+w(QDCsp2tCfo-lYCeK"
            "7TI!U8|v#RRJRwu7Wiv@+{V~V6co>BeYp#vFpf!$!A7?#5SME&vo#C>0wJcGx!mzr17h`?DA`gaz<=)Uri(1Ix~PlHGX7YiEtmU6QNIg{K8pG$UPcvis-NS8Fu7C}+4j#bpd)#oDO}Q*o0OUR=3()N!VwC<5QSt}$X7O)bIf%3RS`i}(#Vdj"
            "RSH^VW<Atl)GsnLROQ543%}QbSdb4QT&$CRIaK1D3``YSec|LA)-7-&*p?B;HR*)oYMfXukC`CUn?f4>k$r~B>o~_E!|6hzpy^G%Y;Yc!1QFGQbt11$tIGvqsRflc?add|&%cFMH5E$!2OR`?WfJfsM{>E0UcE~1%YrjGmP76HuARCp``T7E"
            "?+`;OAzI7X0r=og67ZR#$EanaO(z97jQEs_kdI2z;<{qPfYh^F7-s8V!9?6p42<`zJuLciHw+axs8~B3LeigZQZV=$$wWNf8bR}v=MW4WTQSus>jqWpFQZVetc7=J9L}i5eWrMgBCY#E9<%NXP=hb(kJmD@tOMV%gxtY>D5Ld+Zr1B;YRw1`"
            "oW6<FQxl^xQQS4;>9Svn>O-=x`L~crEi+Al*Zg2w!;ILCAt4mMDdK7?xo(;hW1lxL_W0UPWgah2cF@Zm0wQN?X&^Uu249&a@O?ZcqZxm?C(AyEcu*7HPyyd2IDy#~r~Q78QeL)@vuqgEJsWE``#{zD7R<Dk3w@Ki%fs&FoD;FbywjJh^{?1M"
            "CHcq0z^7`JU(GS<!jTpYp~|kAL$Y1Zz72y#04wUshV|Hh(3u}-cI9dueb$)B<#@?Pvgkv;PBTK$a!a1n8VoqSwSDf@N2c|@Lb{B1N$Sh*34kMBp0)oTfh5;QWP;s%^b?=AbTl2}^X~GDf~V!U(+B=*;fT92*Zk#bfTiUwcEuwDUY<qMTqjD?"
            "+}lcK1dx)GmHLiukjsm?Y~vW4Js6Q9b#M}PXPP#3xjalRxmY*B)skET41NqGoG6E7we5l+EK1ybMy{To%Zs#YVpF5uf}I4!gzWi~gCmamS{{c~*m7O+tDf^zJ4vFfqtilid!(w^2LQ+UApNAXz0Oy(%Z>X9X1;m={)m;C=vSvc0>s07-0Mit"
            "wpABCE(?!un0oO~i^Gcv8I8!I0=QwFVFBVS3<e<7z`B5`Doj$klYuGy>wFXNA&`YJ3ueHR<pzjcv7u^XNT5jQSNpY$U#@8kvupwyiFjSHl2_fez5M=x;+QvFawJ+wA0$z~&op0tzry8-7kbPkoyXyM@lWiQ`eO%3{e~~CIN1*D>GR2tHE_iE"
            "by3tcfI_jICEw*GR1SkmPbxaLA!N|8{4iy1oP%&kGBgelm*cfZv;GVEw-|A8x%txZtbh_`K<ck^x}shy&*sZ6WhJ9!KR!5OhB^MGtk${Ku8J=bZOMh_nH(hH=KTVPLnbZUA4iU%Lf&jKM;ujh3lMfpyUIyMz8w0E=8Q$mj3?yphLWo(&U^4B"
            "BmA<TRe&q#s)&fS4{PG^6SI+md1=$L^$PwlkRskN-YFrQ&3xU88sTrk4@@zOXN!Lf99q{$qZCbTNF4lCr|P7HsfOH92^<Aju1d1;yRz~D&@qvf-ZHwVa1<Y~8nzOe<z$A`4OxDb3vl9V0w&}6&*Bw^Y@NnX)y~LmO(O_XwIuxk!Ah;dcfzm!"
            "#$)`CU-VKR6XieNGX5*}i+oRx(VV#=Rk=Jj8Ilas_Jn+Kt!c95^gW2ob_|^Dk<S=1T@^0Re<1eGH5GeeNKQ@&)yVzRiqs-1v@qx<UVe8#K59q2_yr>xSPk3V!wPpHxV<O#{2AXU+1=`eS$Vb|N$C5{<?_!inI-4urP{}~%Xx@Uk*hc5PPB7j"
            "?SBH{CnayoQ#nWtq7;{H8bsMLep&s#|40&1_wC1VRS=DyQi<c%N^y5e+5Q;IpL??YUkNQ$IGLWWcd+APrdk5}BcNO^b!m<Vq8+2%m5>AHP2nrzawtlyXZkaUsE4$3?Tm{9;cL?TvxZ!KL#?`^01;IVqg&s@Veihb^5IwS0ot-D_36X_{A_k5"
            "$*s0I!+taEt8FNQBvWF+W)_zjf}`aHPcf6R#Hv-4xGEQ!8e#KTF&v49q6En=`(8q|BvLWEt`p4Bk#Q6O-Bm02bBun8d@48sp9NUv`^&x=z%2fT(}CPEkC-zdzN!$@iUmxk`tmTq<pJPivsJ<2{NAM*OP|socM*htRNqZGSN-aHnZ~;4#e~Ct"
            "2js`PC~XCh2AVt@qUlQFU2jQo?#wtl+wv;>FKrbSvMancU5jYHTy7NDliCK$X-|AVGvWF==4G53+BLp`1W(_Wr$Co{%8zaPZ<JL&Oqbta!khFq*(n{*^d{TO?+E#p+OE7Pkol?Qr34=0JYQz^vXxPuf!nKEh%Y)d#>40#;<uCAB5iCl55w9G"
            "Dfu6>Fj&ShHR~|kUw)?sn(R}M?=MPlH#&txyIeN9lNVA!Zz8N2QO2jsgRyU({Fw6PX++Uaml0)d_@dwni3p2Cilq(BcvYkDwo!c)pQcFeTsqpzvkU6_Kxz=&NJ~PHjvULCia8UI;&?M<Ce0uw(k+sV8;Y}g7yo*t9d|3UHO`cJq+GoBus#*h"
            "hsid3cDW4f8G^xfMe(uGO33ZOnTO{u6;#XfFEP=`m-317ccjc6lYdKK2jkoF_(93+|IHm`H;C1;4T$71>6prnSpB%I=<5=H@$YldsFRgTLlRrQA~<K$xUWEsXVxd?4_^>dq<Cb%1<GG{7pSbV@amS&hr}x{*E0PH{Pb{#5zKokJ|nuK+1~rh"
            "O=Gv_uU`kS0tZTz%mS=?Ke7Y6tisO|v)n+Z!_y`Yds@FopKCY|y@ysM=E&tSDl2UuUob?WU!Y5+8`v<ChvG{dcy#lt>@Ih*5SGX^YuG|4tYQe_x{}E7F_r~vpI_>CPd6cFQgc3%^)xrZkAic*x;!~N6TA2Nd=~MN87Lnjzj_o-1=<~TNB^?)"
            "G{<FSZ%%q$6=S5`@gN&UQqjtkYz5F`Rj0(YvT5=d`Zt1>$n6?=h80-NoK+QkK)_&rEOXWn3*@cBSvbTT=)52;D2Q^CtkcM@mnV+3si5~SHSzKnO{nR4>KRA+)==G4t!Q=1taLA}y8J32g!3AD!<^jNgDJX;2XfkwOf;$xQTo1fOA@181t!;F"
            "VRI%@MQ<k3gcjJE#eo<>94e4`{SE8cIa6JCefcPSOo9tFrD5FokAeT@>)x;Al&?ar13TR?i_(z*myOD(a}pv3g~g2!5zcgmIkoLRer(IOzRPbhbi8E<un+7g%Oa5l-!wuk3P4|9c>-7RkukpCRIV%;EmWAR(G{0p=!0~8=t)}+Mz5uFF>@Wj"
            "PtVssODlxFPC*9E<qn$wV3Z#mI*MMW80)o!i{ga8!HTCZgShb)A!E7R>!#Kr<my&`Y$1SAvqg$!eM>a^2dV(6hRdVgseYB$Wx4EyO?&|fxHRUnv$yf=axP@P{3@}_uPA#bm6e48KZ}5Kd%leMITi#Y7lj__%oYyaDzJl6Psx)oEU$_-p}I~u"
            "lFU-x{r?@ESC1w~mY%~$n$K5NS2w$xZrn<{aw`J?5+DhCqYK^Wf9f9ykf0k011+Rk?ab`VlALC{vY$;C8D4LY1PQXctLn>$bKdj3nI}%x?_;=(t*m%v+`tkc#{RdEbJ#(wHEF09O&W6a#11<-K<V-w-TNU_GmXD~)?g@UqCXW=)Un3V^s@23"
            "8cb|!;Wl0g)pD$n+sr7zmzDQdoial?C0(7xh#k?XU%468ES0BK2C{*b{YLjN94yy7Kb-2B)PYrg5TE;ro>2cIl@eDx4OQq?^i1W7On&b24VzhToG-^&mD?Xg!KTo$bh|81<GV{GKhxo{l{7WogawDeCH8bk)A{VL?bT*vfBeA>gt~2VZ)3&a"
            "wKJ9^sUXr2>2LJp;*xWyC3TiTzXSPDjUTK2^{P9L4HHZ7sQ;;%GwE>Wp6XPiu5^=3o{+E^!B8nKYMLF7i_dly&sf@|tenYrsutbjgdaM((i<J?&Niu)#QI;xsS9g;?SH$WUvNt4Npv<|)^QTN5v;#Q&9%VI^_nTw`?Q8EicjzUdY4%~Gg7Zo"
            "FX{CF!m8oQ#=FR9wP{r8W`})XdTHTB1#5OE?fwuJ|1-xpz>qy%-O1p!T<I<`7cYw4=X;{`wfL(zo4i%c+0X>vh2){}tHoevZsE~Ne=8649iJ)5vZjp)2Y=KDWq3IZ)|(r?xw`u~uf$jORfFxy<=90g!;FNEx51HcgH@|s>5H+#+uT?6Sqpm@"
            "{j<kMt6nQE!+9uol9y5Okm5^1p8t;z`@m~k9+VM~ZPdgw3;fugg{#U*xunTDs63sdH!5})1}2ud7qN!hR#}h9eZR`>PA-z1Cn8vd+#;;hffEIZ&XM}l^5v=KB-0;7JY&)A_m`^(=h9pyy56t_AM@5+NW6y3itNuZ_~Z|hI#3jjnyfk<w=_eN"
            "ss*=Ygo7lAw3;2$?uv}^9)w_6UeaUm{H?ufre;{oMs?1WZfg5;)}2vl#YNIO`I!V7(s|hlYVGx1(!L((M6)2<Oh3Oq!<M_Tn$zIws`=TX44@Ku57G*OnLaQ6ZHOTy&0Ft>7^%>CjAZCOZP~H1&1@#pz0Z>+FqtD~w<lc6Meq@|kLG7C<inK7"
            "u^dL9Q8YuAUwmR*e*Kr^ZTB>Yr|(8U6Z6NeoC3=EW4B_S`6_0lvoWTu!2Vbr1~`1?BQBbU-En=6xuwh+cR5SAOI`orhLc&y5%9@H75cQs$Co54_HL$mcWuYVzW>Oq&fs7<HvHSS@fC`&CrgkI%1n#;r`!=55k%`o;4hVyiAeqxEfXbS>RO0q"
            "XdZ!LR(r0z8_Jx?=EPR3EfME(pmX$Ov6RUMsMqhRYk>K!TyE;p@EeysyGQMg>L7gFq&U4yp#n6+JrdsYnvqS~nR^8J+zZR5G=mm$njYCa2fOI#^b({#wv7sq7HErYS16E;T;w>!K(|+@OcW+_cC;NTpn8fD!HUp_-)^m$!N^Yj?M!xQvRImJ"
            "9cBPIX^=gm1dmjgPLOT{@?4Wa=Zl)UDbabzlmlb)crrt*vSjX<!eLEJT~0u9M9u^MW`2%g`^tyx@0QaT5yj&|#w<`r^zcFsls_KIvvjVi$Xn3v2{7x^L}m#a8fONlfcSLSwT2>+&a9@-#n8gA`s5b>h<K4)3bq2l`GeXpL7HP8bG#UnxqNsD"
            "$y$qx(y<yB$<C)w)t|54Cpu(~uOH*X?8WFOT?caWTu$w!{+1e!Y+BIyo^05?%d0fN!H(1cU9xymbO8<c?0`wtKVj3IehoO+{!3e3TOa?$_1SsF6QiM`TQP-l6f%!crnVC7Fy?Rl;9`Vs8^+==94}C=R`2Q+_XE#FJYnr~dDcAUe`uUelNh+A"
            "@P~oGyVXApV0`JQMjW2&X#wlL0G_=xz|q4r3+sV}i7iGOIBDIJv0tal95||e<ZhUTV-x&fcPMtG9J6p~3c?HMJc`q_`(h-6O!Ref-uA(mY7)oCeYrEj!_{2bSVh?HJlCPSpBV|y03W?ChtycNmYiRxr@I%HseB{>Ai;E#fc3POF3Yrv>z31S"
            "m)F0DKAxNNZ_=L>sYzh>h|rYV=pQ&oZJ}bG%iWCiq9tpW($jmmw<=t;SG633Jn)H+TYh<E?8x}}!;&j%V7on=ubEy%U$1Pc-}sr1Ij|WQNdvC<TpNIxV6XYr!s454y_f-OaCzmfXIzXB)RN+Hsh@$*ZkgOu;=~1!TLz5+Nw#@V^>>%H%@7gQ"
            "9ED4kPa7HZ*kmB3Kam8=G$*b!LEHl|=VQ8~z3$V)lM#=w^0N-<^L<$5P56jZbsiO8)`o#gtnb;t`h4{8J(t<9;!O9W$JT}M-f34l#o35LY3nRT^F6Q%RjO(M<CH*_r>7JnO6o5vIKMDV@KcF&{Fu))<j>1ArpuZ2_2yRJ2;I30aA-+Ix#7aL"
            "?F<ydUp`;a=N_SM*3%+gHZ+|Tt4A1qND_?lWT;SgL)>N#P<$}X{*i)JJofOGOLa~;REZsH7PXILY5+auPFHNz_$`C$9^heJ3zFzIC+)*D%)!K)EQW#1ZCs;#r&dgDj>g~;l>IPPk|)*7Icdt58i)h*7>KG?T9HLL3h%#<S>8TjaY9%mW`WtK"
            "xjs5>%OP46Dz=7Y_~$U7sZON};HNT_rCaqbR#1Pw+f~&gMb)LQ<!zXuHrT}!8Cm2eRhm_4E>D^-)g_XRCUl=nRzIeB{=KwYf{WlV*7Mxj(epNuVAO!pTom+hPi7$WnUFV|)CT@SWpCf6J5V&GOw@-x($+4RgEW$3*iW}(nx%gTWkzcj@2umx"
            "Qgd^hmzpi{;|tdtvM?<e@LBwER&M=TUfUBZltNO?uPqhtZOHoM4I|%5AJ@BOJUtmcjWF!_0~D|iEnkCS10sc1)btzth|&_l>RYcKut4RmjSB|bo#9qRC@lq%ZWQU=$Jxo3a)bpS*`gXPUhp{e1pc4JGW}M13pl(lW;SiIU?&72lv)5SP|w~A"
            "N3x;hSe~u%MJE`!L)0asmg~|Q$76c*i7divDF>61^vuclaNVA#tgMM#Y;TeTfsyaCZU^>Qvmg(KDay}-R_Qv2a1$0F*T>54eg|(~=~2KE$ZCV1i|U4e80tgxe`79?JE>yM?^=a`KvZ0Vfnwf)v$rW#!n+MFh3GqZ;p}`4Lyda6@RW!j#MJ5P"
            "mpO(JaYnE^ZA^yLkJG2TUfM}iY0Tm$ns~vfHe`9kKjFY(^^}nVlhlDjPpbd?m;v}{S}*EThP2m|`;}+8am+ANstHSkabnfOHbdmE*Z;X6;DT4BJB}h8{3+FlSh+;FA8*C>ZTeZP)~Exl9M^~O#V4DGdnOi=4zoo7Qh2Fn+NRH@;%T(0%*?5|"
            "Oe0<JIle?r5d&+R@}0uJk(sz)Cy4<=rE)|l{>jrTwXJ+C{aO21`lia%!7bbs2<s+TlG*126%f=xX{y4SOs>r}4dA83A9)x*jrbh#AwvqNJM`YYog$s$HW1V}E{E(MH0bI?WPi0LY!3qrQ?*zUHdA$ZXJ3|CKhfsAdIcYtJ2>8%=!kHA3Kcmr"
            "CLYMsvpG~!=z1B-bFo9>q8!}igD`!xH1x&il4m%kelQ-o8aI^cxTe0G^%s7BiXOP)!=0@c|FP~MWd|hwhN$z2N7}N-Tsj!=6B3GPEffuP0<QSD`xH^)JLHjzMA)ZLH~bgdmmd3}Q55#XxjHR~-CeR%tgT_^eopBoFVpO%W8;dy`!8y^3$m|E"
            "M`6FB>W+S)rpdc<D7mO1LFtZtOJ+~Tp-~e%P?^38JqS6|3#x+Py>Dx9tL0&0AM#`4-oUveyGl*U2BuP-Sh!RPR+W23nBO<8n<*z{B$7Cn6M+z6XGY4r=J->;Ks8KhKh+Mwp%OVo8^o6UB}Y)T%4J@9fw{jZa7;Qe$nKh#+1sR*212v~{SD%_"
            "OO}K#$El4J+qqc5kBlC9n^sc(eub}!2e-`T!dob3v*lH0l2zb{=osvk1f{Xt_fnrf<?x<H^4}WJbZe|gY<v%A4+^L2Mvj>}mg03ofV>~UzJ_hUaiOWwg(km1O{oGqP1c#H{{%#bxC18@Y|<<1PKi~;i$Q&4_P6Y2V%EJnOHule$cDm&6Y)N+"
            "=oai@&7PzM3vmW95(GSnCZCm^KTUNJ9KgV;ok=YSF^nE2(mu2~@vgHz^;i8<X+nXx%>WK$v{(+o7Z%=D3&dkskAc~SM>D~YdOOq=Fy&e<t59|+r!Sf3XL9N@O4uR{9)N#*m5^5o?t{aqWY(!Xc9N2m;;SI~J7`ijBm03yuL)yrjve)c$vi!H"
            "Vr*J38joVWt`dQ)2bZIM(eo3R-EEquj{L908m<w%L{S;4DP2WZ9*-tTP8H|>tYSVyJ*Sy314NCVV0g%>W%*;sDkrhhH)F1%R<+Ww0Hb$%WmDBp?1a>XNfpX%@I4NM)bkqQO0%gVt$Dtw(?KOwP=$Y&bC-kFX$By_-uLa7uL9irYdB@<mV}Sx"
            "P>D~w_<#T<RJuA?_@V=~vWAtY5Vu-v;)yTX`~?L;%v9TF22T%XdiuOejOP_0tcN$_{^(`THjybI5Uq~S7yaxaT%R+@jmZRB4s1RmgPb<D3d4wRsHXLU*yqKDlqVg-$!!DnJWvaZR%S8t#!_|l>^K~>vm~y`s`nh+qNe%u*qs@$AJ#m!KAmRY"
            "S#FWte@D7mrwmk5w%NIFtg|<*HzNP4oN53mSdIz^6&nZuj413r_V}Wg$qOdEFM=c31w04HnNxB%zN$L`0*0)Gf$r`bb3vA}t<+-8{`P6FLx**^TEK1fWV$%dxNDMsq?;HTShX@8NgaB&TX4u^N3$chQ_kfP$M3*0zp(C`WnSB6<}(ZhjI43^"
            "nsgCWj(JV69MvB6#ER;YsQ{&EYxnD1&RM1^fssFa9pF&ew_COb9?;e0^JjNehL_hVEFpY(!ryVWyfnHDRFO0)6lXQE4_&_Fh(18`H1%a_zPoFjtp7Y0VF^&YKo0rNO2>MkmDc|Dh6Tj7;M63FE&2z!9623w4@G0gL<Jql9y=`j`TxmPO=?!2"
            "=_<C*T1L^sS_E20K26n<*Thn0$BF1|I1{!SJaXb~h-p~*uG^Y(T&b>>{vF$pH;t?3ZOSs#UlTV05lqkgm$f{n1%G|a-p7h`q<Tlzca==#e22of=?}gBjZOzxvfpQVpQh%it$Zu#hPf!h^ZH<pW<#4kmBXT$<@xU*d<!2n7kRy3u>2Jh1J#$B"
            "%*aO6_nV|@n?j1g<Qj#t<D?7g{$S1I7DS%(MLQCs$cFJ0d)M(zIfF8p((fM++Mkb`G~`!=a=SHLeee9sZ&<9V8hf8d8s;h$XHYA(-t&;3O+5FuR&N`X#Ip3rzEXmyZ70H-adu5|ICSMcP3<;i26}G@X#{k1mz!FZ*F9`(%GHHfax3$TYq=R<"
            "h_f<qCc9;0T<vX!OJkFJjMzQCPxar$hcxi$;wMPlW`YfB!ZQj9*{P`sR8<?l3cTsB3=fVm>gs%OU-HJlQrWr9BojN+snK^7E5%(o4uj90kDQx9es>tGqR5|d?rZ3=d92Ee{2)f|JFi(?2JM6Fx<xILYXHei!=*8Cn69RKNaS<AKfXABvfR92"
            "-q5n_U0Cs^{fZ3-J%16GQyDHuY^7}=jr0?Ynfw&+3*60X8j-nqfhA}w4m@#<4G)%&bCX28Z0k7$16irl%uZlbGv`WT*(F~^_f1+^!8WkFdylG@gqnHsyJ-Oj@n5&7jNvkD9{R^r*Rvg<Ea~`EhA5Mp(!?BdU9Tyx^Kha<;?l4@vZv+zDmkG5"
            "uC{q=BUui_X?oS0n36wQx6hJTNJmfdqJw(h0qo1L(HuE@$e$)+*)Nw)lY=03VNbLBHw~}lN;mL_%$TX`gI&syejds+FHuG&(lMzs*d?A}=~x!?-9tv!=3P)=^^2ZXE6INLNEa>VOt+aS|EZoL)WuDQD9+Oaz)9vYEQ#J%@w#GXF7rCe)If<U"
            "7aooTL>#zwCk-FL2YxMh6_PIZgk5N;2*2i}KCdYaLAottrO|{|)2Supk+yyE>6m)!ih|aWNG`&BRVy%~&UFqyok+h9XWo7rTAD}K&_E{`vJM6a4wB@5=|+T^9*4AyqXYwIHPuaQ4k@u(@s)A%u$Ws{5#C&}l;dS7DsdFQWy5Jjya(@d*`PGC"
            "DfzdAzEr20_YdqcWJo{&(Z2WDAqHaVSK)49hZxlY;CFW+*T=Os0aiBgfv}GN;R|gyjd1HT=h33JxPhjdrKD2kkHQ{I;Q5Q+_<<R_vTTmQ=c(Fng6^{Fd2_CFxotmAekbOO=ef6GSw%nIXAqlOvH<kA`7@VdnO?LpCN20x#u3^@%amjD^J<Xs"
            "1{FX-mX5i!v(MfP<&+4G<?cr4>+q6-VB_Wnig<q^&>`7-$gBU0ET@gEKJWwv2N!}(tC*|{3*E>e%7i*G^DpX&UV$Mg++uv_0LCDTBbn$nU1D>D3(fSjN}nkq;j*>r`SBKvL@ok_SjdZJ^m~Jyd&z3w@ZTcY#(Y|{yUaES_2Z{VpA%|V3mDb_"
            "xlH7_M=28>eOBR6Rlt(RSZ0;@GEMGh(~A8n*iU58y=O6h&_6;Q8@^`cj-cJ1Qf|Mabxz+VxBAJB<#>*MXj{*BZbf=#PZK>d$PJ-l)y&gr)~iW1<WOFp@ZUA3Ek|Wmjc@8pXNZHtD$Dy&-la2*q!k~dNrJShCAGB*EW;P&78uW*)yY;LgQXXW"
            "#TZPd$>*9}8Wz8!S+NxgKxrgKx?7h`@|!0%%K7#BPZUMY@p9WsP$m<2QGFPYW_zWceFzJZebu;Op(XR6WEv{X?I=DGetFIjDFU9fJ_fyF;9*M~G-+?v0(8#Q(mz*1T`jWSIj(^;6qT9HQe!!ZWKK<$`wxB#X#`U@g%0_rnChhbn<qWUO&Ld|"
            ";V-4HI6^=WlR%699af6eHCceDMd`{t@`rM;?k0y9%9Y7Ak7Yz~WGucAfhTyA;17~Ue-xC+NeA%&4@t;UCKB_^p7G0cq#Z6g<|ge%Slci`y@3H7_QoW4nmkdxNzHOHXFncK&cGAi(^OjNb%PZE^)TztldZu_K9Kbsd~#{2hXalFXBlF85`b-l"
            "wyb&8XBW<PjM%uP&c@kfoABj=9exDuPK;<Bpj}Fd7vWWUzRwH>2f?cBB>3e=hs-~AzNW;yY%6Nd&e4vwUF?Xf(wg;7uSk8M{+=qsnzzH;h{xo4Sg+MOUsAIkPVmfT3ivZfnc<qZZTvNxv@lfg-7#PEaFR{zr=6GQjO$sBbx^kkVK=VeOkuQY"
            "(IFm(3xz{4&Bsrt(Fst7JtB-eZK~{FbYvK|(+gI|T0^trG+P}kyLJ9bU+xJl=|2rKK0?g$Jo9t=$CUty3F?1%l{T>NjP|ODOY${p(z47lVHc4DsWlVq#+pGhKC}-$K4d@Y#48extWo8bX*r@iKco8fTcr<`ryM4FCGh8I<gJ+n*MMK^60ID#"
            "X%`SPEhA6o87xLYh=}hx##!u<vjegl>DbUokU0PS;=JW&hfT?(As@XU4ZOZciy1P{gcn}vwQpw60&0lSI-xLcLYcmXh+Qm`w108pu>v7#WE~bWvk`Sx>h&<|xUGy|j{I20%|Qs$awX<j&`5`0Ut;3o8gc)o`2$yDx*Dn4(T0asrX(f_I~f?&"
            "_t0)c5gUCZR40|pR_AI0iT@~waP@+0PU3tO>`s#PMVyEUTA8`kWxhim_mBkMHDx|NMSjti;Ws~KEBfqXYDoxZ`MKwtCxUzni=5o+)iNa;5o0vokj|V*WkTq({5@m5U#q#Muxg`tI=oRezy3(!ZEgW|q+_v#nL{q)BAGAkAx`W~X?5^2dFf^T"
            "G0>U5lR{UObZyFWbq?*j{Wgq0=zb-~2|ph~9^lay`7txgO1H-wuj5k;y)IfK0l*d3nY@sQI1d&Dp2FCFE{E^)Y-A8??|f#)HIpAj=E9TbGJtjx8{|!z56{cH7G$WtQz_`4XycJ-<jknARrIIyji6)joA3lR-~?_~cGbd*7G72YIKLR!pMK>c"
            "f?p}HM@)^nJg`GOLZ}}4r>Bcerp!M~nbVg{*f&>|3~ZWlC3{!b-Wc5;lkU^-bxPah^0_&EKE!nCxsKP9SZF^pNN#e=FW53a{edGvbJBABLonc-)s*tZ<z)a&4HMmikI#41pmr^Zuh*J{nVc2Rc`-ZuEU79YPSt^NY5@e67#M;@Ils3QbG>cq"
            "HmjO8I<!miv9NUh9P*2-+&emh`dwY#o#VTGePXN??P#LBjKMInWv1(2y7|Lg0?(Yw@mk~JloaboIh;rY!!~+mN>c}=7RqkC65;C4y0k=bTQEYSb}2Yj9<uYt23r;+yI!VN-#E|Zs{@_>Ox2E|1kYtcQ-`h9sqe;WSQ6=YY+y~tHV>nQEy~@P"
            "FDgZ2dG}|yl=hQhsV|<ACBPv8(gz#98Q_gKjO*<HU@TMYOP}YBP|R&nK5sY;>=P#r#Uh@CWBfMFu#i5Kk#Z;;slwi`T>30b%jd`EvwY4{WZ9qfNmolhngMCaE2lGS<TI+*GV(oL-qH)pH{R5AJs<PT8T82fNb;vxntg%CihMt0ct<JHoEX47"
            "L>pIE37=1r2XbHfeL2E8a5Mc{v}J_oOTEbFykT&a`vhC!cFUk7d0|TrVn^O$ceh!)%ZjvrwKUHs@AHxTClW7<=&YDKtbV#CPU-0qrPZ}u1ez${2oD3Yy(EBP)pwj(Nl8fMJv7sKnyY!0*gK~eb;s&5YVT5AbNJdm*9;n+`|@s*v`bHlmF7I^"
            "LUq2x>MtczRZrxr@@|(n#UFBB%4McvAPD%B`hQGp9;7=D$JfBO>Y}cUB=d)a#NJH^5#lMkyHVejEWmF_)M^>MtQxwmP??k9M%E2s+r8&(S~Y-w<5SNr>hi|HyjZe8n&m6XdcGpOt6-aN;r>b&6JvVQ0i{(HK2rlD0LMM82qD@>_I2FneAskr"
            "TGgGaA$A%tn5zaPH9)b*z}ABF4uZ8Wfl2u0<n1t5qrZYxm<flNl8enkTCfvR5b`SfSTTjq5gzNtDfdIj(Ip^waHMe|9_TQ`kM6h<vQoF~MWbX-7>pkPrBky@v-Uoi=enk;4Z|>%w-&bfS)UEZhKU;5=Lqe-o`D-O){w-sIF-jpfqqnEEg@l7"
            "GnwX5A_Bmm_%Xu19Jsv%Bm?9(_?C|IV|Y&>+d>mj)mU%N+E6T+eUPcIsp`u#G#7j&VWi$idN*2Tcs)Tw7NHk`?MbtxW(6-0P+cFtXb&^uAbtC0S<V$)yO5oGE9RI_^eKu9C~u$>LeE<hNQ$_I%Trq>q3HEC@lS#QyCQ#^J!1S#lF*{DLCM%2"
            "U-}Fu<MYD!YYB&I=cuV1%!vTiX8?p${qT{h=s;Os7(0u6W^x^+$-2tzaACSb<xjF4ZM{S?3#;RDVgFvCCY1gjOTV{6*K<o53oW?o=f$0l;ku0*zFIjuf-Wu0QJbjK)}nkP|689l@k?UfMqjxc20n~)0z+j%^XJubok)+8Kz+4ND9#%?lf|x%"
            "w~RU@;ELt);9_R$MztA*+>$)Jc#en>|6yHqmVyw##E{9vQ*G!$@a*h|CSH+!m^}ZE_YKk;D?D;6R^tdNyg7VzIkfFGi5HT4VA`6gD@|m676PR(yA1fDC!tVr6M2Zy24ZbKo+aJg^030%3<F(3;?_1xnXaZv=Ob%nI9+@muA`i;g8G4`GVY`1"
            ">&Tv<g@O%dgh?7^GQL@6@8npzRlY=pYS|b>b?~Lhvc9TYMa@)iCdw~iORi%kPeFgn`DDkbLWO(!@;7M}%DWrQJYO7<4<t+V65&i(Ibt+J2}qP>XoSy3@^FHFH$xD{A!GAGTi=uX5M_2%9KH~98i<@LhL7fl#&2A%DPOt{9^|IH_e`z`8`d*l"
            "XWgIU3f3Opjl~7aO$J7!h%e^SEZKB-+P-2_TgKO~53;#9R+qN?j~`7Q;1l5pq~`T^p-idHs}>QS>P5<xZJXfX$Se2uFw!40-7Qm@R#r({`<2C}+E_m?J<WM*SNbW1IjuCr?1sdJ&M#J3j5$|SFSd1+A9?CXTp?6Yu`LQrFLG)0&%wTEU@UzV"
            "C;qDm%8+VE*HiUa-gZSB2f#u+SvtI1he~$fz^c3xiUhe3tV&_^S<rCm{`K*XhN-7>dBsb4R-0eF^fH`<c)J9agU4m<zE}U0k~i#$l!03!%<98|(bGJ`_0ffFAksFup}fN)=8vp}ISu2ulDn&TfqLD+dWNeuh*aib!F1?4)FUrbyd9i;`j{Y?"
            "pmh4QNi&bK9HS^>lPq5>bNHJw-<q*Wo_^cM(q9mp|52Am@5{jC-gdk60#NpT>8t8llv_Deu(91EI4`KUTMq=wr@c?LgT<yT)F}s<+Oxceu8lvPMXCYR=J7(@>!(peKolMCZ)=(-6@~N!%-}SFSdzpp7mxI!JD66YXmBRw@JZHZ_9F1=cUWZg"
            "1pIU`I$Y#bX48?7dD2MKDpL95%}nQW4+hzmhE39;{u$JifA6t8Spm^D#$6<-JYgn<Hgx2HqFhB<kCBXiX$G-iKKm1=WvX=$gM!%v6qjOB?PGD{NONqTTk>a*WqW$3?3!~s>Fr_q+`6oK&rLVSUyA?BCcd>tueNNL>Tql(;b5~iv`a}=nGKQK"
            "%y->pQ}I_h(o0_^?M4t`*2=e{9-M;pTLiUYLjHB;8OS1G$kaf{`Z$gG{p5@VT=#5Y9Eb*mx^>ttxVCbXeh6<^PiOG#zB>$@`0%{UFqqZ){Z4~7sQz~{b-*tUk2R$pRbfu^McJif_)o*cc=6#JjEZG=*u=zcb^K&C*|VEi7keiAYLYqg1LUO)"
            "GV^gRpUCW6__0hwnU61R|8`b6iniGb7y8iIu2to2#|GvV$Vt|q8<x+;A4+>5tch$SX|Fx|(|kzzS}x0(a)3X%2W@2EFY0LL+6EKZaK!(oWWtiPyu3|%-B4Z5CY<ORc6YksuN7>|ds0rij^53F{n*N}UZINTKpQ06!UxJmSX(ncPSD*adtQ^!"
            "2n3AvKQ#?|<r_igD4vgj-I99HbOh(o@=|UEQLd+j2xW)@O{%mr@|IR3dEDHkG9PWpnCz#KT>DNo>`evar$Z`_p=fXKW8?OK-IM(4*^+&$TYrj!I1{PUsMv(UlJ^f~5Dt=v%_HILh$T>$OwWX;+cYS5if`x=CHRX2KrRX6i@fB|zdV;_neYQ`"
            "(%hC)x0^pfG<x$OQWOg@vb`xIE(rbpy7V;D7v;9bGCr|`CN()5xZzX=Neq9(ss^MS^3o|IrtspaCd+nLx)Y+Ss;R2d3Gkf(Wr|V>sr62w053qI+*=(E+8!gA!`40U62LJ=uj$e3^lF@hNyhJ-r9r5JFr=Yj-BcBVs6;*aq(wGg0S05sJdqa0"
            "YRF=`nHlkAGQ|2zEaw%Amz`fk`^LomDCSKnP4v}oDj$^26k?JR7`rv7+m|ra<aFl4RA+CWc`nDPJ-<(8(vp`}7kY^BTF-x90eh0XWdAu$<tTGlA3@<~_gn#mY*pXo2U@27@d_98VMT@Pz9d?UD#gJ)N4985)oesf1a@!Lnr6XZ<_SG0q*h&H"
            "$;|ojnQ^uW%UqKkkJkpq5@`FGOfS9z9}^KeStgEs-vjsfrLKgppnLo@TgEo8P7#!3G$B{S`HR#&T-`^`_1UMfKII`HmDDb;eAQ!n#1*{a%tR6@{`8KuFJ@@sl&A$`U&RSr!27t$$cMxhaj*aSJhN(%XcaC=T+gU_<so}{J?Uunf^NX*ua7pi"
            "CZDH|6`u_q&cheIe9cousCt&s5C?45<WPUi(&&oZ!8<wn{{h_H;im"
        ),
    ),
)
