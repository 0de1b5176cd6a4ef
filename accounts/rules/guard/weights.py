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


# learned: 2026-11-26, from 116,153 examples (26,263 of secrets)
WORDS = _bytes(
    "c-l=_O|M%=a;+{lnI=UUO^V}ige;mAVNi+(U?vV=WYuJ7<=Jrnj^GItAPZWUg)uAtgeFZ1gyRJ*OaNy`30fG)M$0Uz;05qfKsK`!g8Y!2Q+=P42Z@jGe)O%bI(6z)-5{cZpZgIX>Qyv(5hq%t97KPKuOdmxG>LdG5hwdj0zP@z`DN_f(f;6z"
    "Al_wM+LbHezvidd-S!hC<AM-e#@bFL;z-C+_EKV$yiMmLE}h715)&5N;}mSl^4NJUELZqUq3gxrYVo2`lE#ehvQn6(B_B&1BpRIiDTsTyNVdCY+?kiu!4|lp3va~kYjLN^-F6-u>ZGm2LW>ihSFU3_O=zQSAs61u)v^S|ud~P|%T99VMV5ZS"
    "JzHBIk1rl(VSmo{-R90Ed|bVdJ=gH1`~!X$IDj51@Q8#yHujT9Zyz?Y^H^HsBnN>@ob>RAORX#m8sI-tHP_k?Vv^i{b8UJ$o2wP3gq>UknzSznr4(!e`}{l~adxT*pvU!Z2D}FWU}SL-+?KfytbU2yfJS@Bkw>*G;#GMukraJMa#3?mDKs=m"
    "NI!?&$$$aA;FRLV(U)45bmP$%o(ytIv0(L(R5JWA8S+uZ;;cCbZBWy))!<#(uOfYfn};wIp@bu3^WzJle|(+;EO4Kfv5b4-wzz#X;iG0msd>da8auEU;#iHR{8;1~zYeh065+9K@MHiBpu?e&bC(22RnJym9Yxl#thlFQ(ZhY|JsHwEWY0AA"
    "r={lsYl*sJ2JDV*m}D06J;_(xf?gw};m^Wh_T#xh1^&-O=mpE2Hk^|!4uKxy4g%o*3D5cbX*uG4Y-h=c0vbq^6}P6q(dk{3H|Hczc8C{3pL=!_LdIVJKvHw<%sV(>Wsj!iNX1i-zk@Af$DMyI9f0hi-Lu9W$K#Qg(VF3TSY*K1{NC^CK_+CE"
    "8#yaiOYlkT^la@hpPnrl7yuy<MuxRPLkutu5ymQhmFa23rmQQDxaOAVO33{!Ff#_{^u;~G&LdK5ZMnJJ$sI#qsVE9(+Cw0J2uJA?Bt`_PY)KtgK+88$y~)JDB3_0u6q%e|hdv3k`WTrb1l>NK#qQH?_a)A5Bhxxs#!LDlhX6$6;nN~<?Zb1+"
    "$~}|U!U!tZb;dQ9j1=~ATbi#mU6vA%dbn`z$qvn_9dP<SACO5QzE!$Rn#O*~6W4#jvq)Zg6q_G_S7qQ+^@J@5H_37bpAZ9Kctw7yIpG#wUdt_B>hVnDN}v__#NUNnQ%GchJoq(Tav%)voD5Evfg$HMuC@@qPA5L97=a?|$Jw$uRWw+}$*~eB"
    ">c?Jab6+3L9m3I(i35M8lzOs2UFl{Zx4%;|gB((Hdp;snPaQ$hDz5T8tc(NVB}{;^5Ofh`MvtpG-PhXo`j3yfIiyJVPae<${2E8r^sQ0Ryuv*o50KmVGp!C}UBQ7@&VcZ~OHI_=A>;S8_HKfx4a8*}7y~KWlsyyaAZ2U-!*{*N0)SgP+rEc?"
    "!_f+3uoa?FxU2c{VX-naimWS@o5t>xp3vtoE_P*#N<I6)c9`VTCXAqoc(rb;{No-m`#ifd(ZGsDP~hTTj8_)wu6$;p8_Onzb&0Aw4HG<lp}7}WsATD!<O&PaIk~VRB^u<t-?eSOBl(hSU8$QPs*L6<srg5fksuqwytsvJ;t3syoP3;l;W)!y"
    "V~h#I<(zq(pI~tR3^l3zes5p~n>kl3+nxLm$@^{wWj+DmCLo2EVGGUT+>E6MsgIqedlubQjPIBOuwv&%Rg}!5(TZn%37*@)6|Mr+H{SM(3_d1ibof0e;Noi5jA}fh{UiU!{5u*LP8RoFo~1rlIkBL`4VGH+N=uVAJ=JL#ziXuIZ%ag-g~{BQ"
    "#Be4x8^p>*jaRA0m{N2Tv%oY=+3)3t#^nW1R91lDkdVF2#6QD-6C)BIKVV%t)m%twBCRFElInG0r3NAk!XU1zZJqSDl4k{*R-^UFDKNlpr9;%6i<egg&hOKdy8!Rl$SR*vqRIt$OY|uPMH>%FEWwr0ApL^$=rqk>nU>6Xa5hwg{vvuFpzMN?"
    "J#|qd8_&&0OI%f=EPbm~8M-H5E37Z@+)O<ZufUX;Pxi20-{+>}sLwzKZrbNmZP7gU)q7f#c4>bUaBPKdFrLhlW&x2urBu{fISa6IjwY2hP#vc=ctQIkanG4IDuZ?3cqN6V!cD9;<?KOb$sOE*3M-)2L+VCyJCszAL6+X2#DafNMH$?CQ0&hP"
    "GogiVhC72@BuN_<<`rr5WzF-CM5jgn-EDoF#g*y#Yu^8I9dOfv^kM963gaSgBVvTg@*usly&hTGPqi?fVzvSZL#?W*QCFCi<ED6D^=Bpe6hC26b@^aCP1EGR`dHp*F;HRz2o*|g@Bs{XOhq{&!OAGvJzcqTLn98QJCRi&!-gQyBy;4#Vnr`("
    "w2a4A9ID<nwQDOc7klx*u<H#?&+TN|l*{N$#AzgJ(zGKzyI-{Ng?VkQ020m(QNvpPK`K@}#cBi1C=drI`mtGWk^ycAlPlbP)u`?PGYKTwIvGy(S*IgEV)7o5x$7AI<Nz&+Nad3O<2zO%ioPrDMp$Y%`*W&J&2>pCr1rdKKm;itq0wITz?ld!"
    "q+&9a0_=b|`*E$MiZOx$h0*@7GU-jwL(g1gU8DGVVAM_OM$Q^XY)gXK?B`QwMJT@pa!z%tDW|ZnfEne&tfH9oGr5s;@`3RF0Xv|H<R5D8eoI@-Bsde^ZauVX(=SY=wH%@Y=0hUpzC2s&jiG5|E>?DE*lB)b66y~Sy4gA+uo)D?Xdun?_)ABg"
    "709jWwbO)UE)W`q@<^1;&An90*!kNNGg$>f&RcILJ+@HJ{d3!r=z%}v>YSxHI6#?DC^{0|06Jw>u>2Z+0^5)%@abJTq^yxmhB8fv&mC`G>;wIc+fJaxHHvpK4ZIz8*K8fyCXe8g_6D{-S3E67z*e72nfaj+6qa|U3dDNhoZXwO7O=c&)jZG#"
    ">)H|$wL#`c*(&q_?bwr^`d<b2xeKi$qjYF=kKf3dwMS0}lx50kG%B(Vh{m#Xr;M(f!vP?9@Omt#J!6~vdvCc-ceE##o5n9<U%}b#j29@mxVZ@<qrv@3GtNQr;UZK5^xIDJ0Zw07_jzzJ9oRPig8bj!#2N%u-xmF27Zonn?)C!W^tn;OL)-H<"
    "noteictMoy;g$CMJChTqheCI?&R}5Edb~Z4K&W6OOU5AgL4mAH8aklcWNC%8n=4u&2#24wP52EwI@4eT6Lk9Xcti35{q`<Ur4(;?2BVz>`Ni%xSP~LY;7atsi0rkE6u^}G9h?{_hQJd5G(I#n=!O^8g-TVW<0%`M8aD6fo@Z0wI+dQ}=WF;B"
    "OtGbkIkHzSdW%X^CnnAEHZK@Bueq>;HJAvhT^r_f<YQo_L|^3u5<7H=w_7_Dt~XW-%-JUHdo}OCXftX5eQC3IGO23R11f%>OykMjNq!#x{FWluL^UPJ%_L=F(*^6I_jcuE8B?Qn`K<Y0@@R)xs&yH7u_UR*3&3j=FAouPT!7{}eoHoMQ@28}"
    "hSKzSHq-dE)e2uHI`G>>S<+>Nqf=L<AH--h)J2WGC9t5;)`(Hd&U1I$=q(SG6O#h$Y0t%w3OOfliE_G#3f3fWsQoqX#K*agqsn4ck5`>1X{Vf|44V!%u^3rtUhmlUGVutt18SJc7{EBNno>AePp`MTO;?yrBlW|uV@^j;7rZ57b|xLTH59m1"
    "n{bq7ob`iXGVEF?y4lrjWQL%I;=gUn$6#YpTKA1FwZq{$GjE)7cK%_heKgj1U1wx%O;@Dpphv1z-*iVYhpC({8vKdY;NKTKtW)djqU}cHd#l&bj4ZA-z4u;A&W#9rS4MQ?F}hg<@@#74%T=zfjOpz2Xh-Tlp~`pD)w$gCPG~I|gFHnS^$wQ)"
    "(9dF9lFA`lnH}o@)Z)D-=2oEbvCZ2!?QEmUMp`Ycpyr0(aOhQ%O;!ktE}I3@8Yb7|EzYE)c_*47Yu_S+<<(atuep%iZ7P-Tr`<w&-=N?&x@Pc)y;U!pVW1?O72%?e{44|`r#fCl2Uz56O@YF*U$VFWFB>u?b>ES#jk;wG!6r8GC}8)<X<)2H"
    "pIp|z1*x*P{9^Y^y;I0S)_G6?%4`{L1XmyGGk@Qd7bDJ9jI|3c)d~E$1zkxGZ#QLJk9fa2>L%BIXitYp*GKXm`fjVf=#fXp5c#a(lW5b}d{A4OnL8)Vqaec2Ix#`rY6f(&1W>5{7@P%btIdK@aEi6qWm0Nj()FYg6S$D224aYwK&GKCF54_("
    "(R!{re?0!*V6)l9&FnSzxnGmV@bNn%eDNLgfc1HuN<m=ggjQZ{PLph6TImw1yA(W~skyBE1+)ev$-%klhHluorUhXq*3wLmI<sqq1%ASl7S#Q0V65<0f!&U&Jzyz$L8*^?1N)V}gm!M#0bsf|M?iP<YVx#unm+|}zE0VOKL$kA9!Js;^G_Qe"
    "6#tT*LdZD-x2BE*T~zbbTyd-;QcJ76sRJt;^)6i<nUxz9BHQSsm2YO*NxJOJIG!e4$BfWoE>B(D!(&^(v(G-FRPv8jNk1_?vXNg(ZC>%De`T3YA7;0-I!OpkOi*gWMOzy&2DyRhPoM^Z!HUcju-TB5mafg#1IPEN(sHI~sXv?n#94Y|;-ByZ"
    ")HY42!@?VEbkfNdHAf1+0ZwJLqfv&l&YugcP@I^9=NU2m5SSWT+s*8dTQ(Ttbaz1Cfv%&qCH6vuqGZl>-M`g`v&M*<*7m_lD8i3ZEofDfswWz;W;148<ZXA-2Ot$iZ}UL*_nHEYc8eQ+YwA6icK*tz@2dQoMAjb-eK~J!)&<}CI&zfS@>;)G"
    "!Em^`!>=2(1AOr#erjDs_$lit=Obgk!TROoIKa1853a=;?NTzaJ0rWtRk|w=>J%ZgK)anB-FS;IJVmAFgr$eZ&61$$>4TBBHA9yxHly_Yyp(eqaLgJH%^0RUVX-&3e@;j;y*&H>OEbrYhs%yx6n)d}fU|oRTHuRXOh2;MJoaXzY^<yy*N7MC"
    "K*=NF$UX^)iRN%~LCbZzkGdgl6*9YzLTR*~|383`dgu1E_QD&H6qA$F;%zPglXIOzvfdw>S548H?qde^pb3t3a2J`zw=5Iz*YAcB-*<XwMpzqzNeb~sqvTvbCtn$PK{P$<-n^f<xSU%!dK{KB+qQ|x=;MfU+c9zlo}1J%UC;<^FE=B>uULuH"
    "NrfIKik?`(PMlZkmHr~F=*BKb0%*(*2xD8^zE*AF`$2mpl5w!G;WEDpn1kdEWb}`D<o_n~jRjJJZ<HcC9|#T4;g<tp-bM47EZeMb`<m8Lr>_4Js~ns`@NqE0WZf*k=J+F~V40eOlHI134A(@<q$V)x$~u^CobWwKs^flpPvtErum^1@yic=i"
    "t^u2-U>e`Zn|s>2RX+A=Mc0Oe(Nqa;Hz2qCsHS_^xr#pQY6E}XH^hxuG{0dWOR*th|3qziZm7-RWu=p@@=VSWLf;K2<9!HMcYR$n{8OEG)d`bwXYyl4+w&yU9*%>mVrAiALMD@0>U=={>ZJRn4QU^ah#dXSUX1*;lr5hh>g?#29Q(#CTY+OM"
    "vCsv}_bU1j-ncQJ_15;v6y2HUEW+NC#`p|{?ronvSi`2AHl{Rk2-r-f_F}bF`_5o0yx)==eJ55c0Py;9TH_|)Hd2S58<7xKYMqb$G34u|IMJELqkmCzC*6iy{GB?<?=+1~4%rg^&H}ZSvl58jmvw}{mRHDh$*nqGR!)Y%{A@+gs_>QX&R#se"
    "lObQqaXdIrR#{5o+iGAjp5$PCk_;(1VyQ1%E)zVzd>Zn#aOyXQ9AHUxYBlX(!#Mnnw8~V~{{gbPS4q+9GoF1V4}$EO4eoydfZYVQ"
)
FIRST = WeightTable(
    0.028024,
    -1.4730,
    array(
        "b",
        _bytes(
            "c-j@2XOm><nU<gTJ>KOx=}l!-W%=%Eqwb#Rag0_PNl2>&5tv<K1A>VCB}DKe_`)~%!194b1Q19dMzhkav@=pqdsAIqzS8?V-n@o0^#d~UJm-Gy=en{y;vApr&xefl#6o|Cwkl%EXOeCLq(-AH3^3eh2W2RK{9Igfstci@yC~i{uj-LN1n3u="
            "=i)INbD!5>6aAP&3QLWA3O5pSCY_8B-@UBQ;mTZ3zZ;FZfe|gBuwviuDEyf_gQ`n!h(1Vn(%K|(H!+%%!${uNWgaL;X@Ee1Q5;Z4>>)+UmBN<$>sm%lFMEffZB;A)5<{sQMt5fIV3m?KV!Q7;Fkb`Tns;cDe+#1SU10|jy_oD<^V{ijmkG?Y"
            "DA;Bga`7nKCBOdP2uGPB185gBIfIpO5;{PM;;C){0|DSJ`D+P^2djmrD{m}a5H=aW0O`|sigcP}Ec}d6DdQ*4V&5#?(0rAzLj+SfxhY+}9Lf+1`>Uiag9w17A%XPpa&ATiCEi&9fEq9P9Nk&K1)pvN#$W|XD}$l0i1O;W8u8GHagPo)%7=0z"
            "D-#J;p*S;%E0Q0Q5(h`egiv_2S2@?|P5$CupsJd@F4Sv=TQVB{e8y5Sl*iD}(XEx}5zYXY%_#-qZNN;N8(KbWp;&su7X0hh^*Ir#IIEB={@w#a7*lIdd50(eAZQl(JcNG))22Ri#`1=JcQPYu@HG)^PnJCA+NomLH&eAOAh=MP_Fg_Fz}9%`"
            "2CRelz%8p@%Arrc30RrADxc5ETKGJLgy9bCp6Vf$WedWYMH;|DHQkSN|Fl5ZQoJK@7!L)Gz>oPQDV&|NJUW%175*p<EX#mu#!sILgA90_r<rHPm90Q})0GG6b@m74-FjF81fPmi#{*KxmV2BpDSmh`lh)LceZ%WcKYAE14qYox{D;YP0KCs%"
            "WTXnoU86g`elP+O&6Z%y!lsfU$4=d9@KHt35|4b;0#QMzmWrbdMV$fsR0-Xv_~L$4;~bZD`-Dobx3;sex8brYFJchRS30L!5lg;{9r`Nmi9~-3{2h~mX`ID45N$_9!G3WbXdwx2W!#Q%(}L*P4`8E79SxQGmE|55@d;}4wi4j}LUuo-Vhpf-"
            "I?rr$=Rlt>pzcI`z2pU176Q%WOf3M+6pcrQ+^&1c>ilR2s&hG0fbUV5=st@+XrYy<SJ7~H@?7#ZI(mBj>lRzSb&r}e^HmQ=v~RrX0CY7Q9R<nt>80+{r%V4@7~dgWvtgiB23mt{u54GYWFI}6kmQA^(a%pT9lC&&qzD|AbKVz48RVhhFCUtx"
            ")k72O&P<-4KGMY<KD(s5^QBzsVl5GE*%27XFAKMLZ4+S-+`akEtD3e8BD;|G?AU6yBVm?g(0A6JWon=(Qy3=+o6l~dtGtuaI==d@P}b0S4aDc^qK^F~e1Ca&lx-){otEO=-tQo92(o<bz-+Az8<8LjQ~=~a_8>E|ysYww8QvVXpLga>PJQM9"
            "LrDuQIsS|H_3aa79*c}X0fffh@fZD$&NueMalb$OH!S^*$you$Ks5D}oy>W31dHk7_K}z%VGdzNU&^ap^bEw1f^on@A$Ww$F(*#HCWt9%u5<)2X-@&X%AjdgCQN64qm7+m^2UG!OF(MT486rVKnSp4r)u9_`VRbNw{-hoxw}k}OB7=FLrhmG"
            "OaZqpP_Ycz4m8gs>7HT&=kIO56c58D%*F<C^o~~a)$^f{E)xn3bS+0xwlU`bhCYJy$xp8HxGTR}dQ;CAkZ9ypasi3yCzEjIaxI(*6eL)xb!P@VL~xGs!33O13oAXGn<dsz%%vjt?m;&)G&<V|o?>u?t7_?un#y?}9&6)J)_e{zoL{o8cG<sz"
            "y)vyQW)^NrvdlzH0->yzFFV$W3;AmcvZN9g3!Nv8XUOK&0}rXAVmQYxR+_AP&F;IPC|(3y69YKF!qH9Dh1wW=z69&ox~kbpix1f7vn!_a%Qrty=lxJ$v%$*N1KG?#$dJKr$vn;6h&$8fz=r$o9C~Q^6@QyoTm}9U;?5ZxmvDl^z9i0IlL-GS"
            "RvOXD?q^%xO3$dVgrpfyZq>t%_UmYoDs(woN$}!+!-{-Kh2Fs|)ykId#VTx78<}e0Q?m+R!f96Dn~CLN`u-%W8wQPcqI`55!-}L$&=rt4^fKc#mAAShER)AY87^+aG8M@NEq>{hS467v!h6LKCM(JzaWcb&u))y<s9JH1<u~QkN}ft#b7fhp"
            "Uc%sY!;S0pf?`3DHSR?o2cG$`_Xzr%3X2s8uRByf6w&#Bo;`i^D|NC7=iS)HVQh6s7HLv&ql)18D<}fE(4LEy1M;}2dGQiK3#`YBEFaXGLDKS)!H}GsdqNhYW=|<kf!T!)DN6u-=+Vu;;ad!JU*H9-CwlNcQ8h5E_2H`YxOLfG4^@GSLcR!V"
            "02>8RNrc=4Ygx7_!n!cCg_yi5QL`Y%RXx@r@a6)GNrLL2L!!<+(|rahvxRB4t{^Gh2B19uW8e~ZtLB7acte17VC==*-WG~eQn=Z@1%(Al={zFy9x!E`=+UHz*iIN6tKd>wu}<a$?bskx7GnZqT;O@{IqXTZqyWyYnv!&&&4|S5y>#A^-j7=x"
            "XL4DZ$0P%~5zq6lAYQt?VgNC-VpGc_CdCNqa@AY_60sFtcxO46=wd1aLuQ7U;At8eaEoXqeqIX|aT9cvKLR*(>G45SPH`wHyzqcm6=o*T(&?5klR&%9vY000-jcx3&Kg2RLXjQC4&o*Dx6*r`(fnQj?68GY6Tnb~ME?^A6BpdoxIr#upOiad"
            "3N1sWO1=etrk?L>)^{BBGA{w^qQK9KcnrH2xSQM;4U!FxgzCk6IC|+v%w`19z#f`J;0?gSdkLR*GJj8BZzA9e=vU%kC6DQEgy$({(+TvMKWq8K=Q#w3Myd2;=(}`)G&@7fvHHY^yQpk~LM&mY92Qsqx0Jy0l*`6mCr>YM@ADi=2^5nOk7)rD"
            "D7_)^<blfcO(Hd<Y`<nV=sK98AN+YazoX}x=*@sU7jN$mvLjUucL0QL(8aJR#%TM0#=mv9_R!jcF}<|8qLJh@;qQ{o4Bx4NQi&GB4aALaQ?`k^g|(p}V0y#Ef$-~mCo;x+=vs0GI#?7HV!UJZAkV!&J*ku>?mq)P$~gy+9>C^EzMdG2tg;Nm"
            ">R4(F{F2Ra$zkQZl3&R#T6Nqk8(-N8h%zfKay-B|aNFro)rZ$XvM9l6g15s`@0;wGLK0TYBzT#3RtAZTg|nSnWt#XtxTD`c3-GwU?Yv^x#;d|Py~-BVovAdzXFwLEF;diGMGp92%g@j!IR6ZGFNmO4frT$@O}165aSTFfC4RT@1S;)d$sUN("
            "?%R!p5;@(}2a`i>@Fj5OC{K+Z+(B>+Vf7R)8kLFdwKC4TW&2WwrKms7!#yvJ&8q5rXOS13zx=Kk8JYcmlFMqo3~m1k_(LVd0t>?01=mwd_OVt-c=U8U3}eq<kAxyd$M)2I_NhM|p|?mplUPMqn`N%wt<(AtjA}eyN7o=NF-<w@i@nj}kT$1W"
            "&hOV!wh|=e3Cy=m<d#gSAb4p7(JX&zV-A&9)z{d=gc*9Kg@bfne}JSZbKHv5XXLIkA|TgdKB@pWr_q&+TLYu|Q#pFm)oRDLxO^ep&e!Gbitel_ZyL>t6zJ@^xQ!7mW#aE+7{6O7tK2;<joBQiZu%<9Z+)o^Pwf&NRlTagm_E7lA!w>9><Z$|"
            "B}}a0{x746s&cecQ9IK1XWw5aH#t)sTC9fC6lJaopwH!c!qXJYk(`jIH>n!XolJ|pYw>N}?dGgO<6d1hDnr!--6gp%T@hehkODBfS-;F0@@E(4JsNwjR2%sIvk=6Uj<3Dt$^)gIOW86vtkbQ3SJq#qap>oS+=UrlWR^M`=?coTpXZjv*^I&4"
            "1@QD%V0fFkbh;s~?RV?2g{>|`b=73BLj8hjObtGtq5KrdP=43Q$C6<3+y2a1Ypd$Nd|F9E)}vx0WzFF{om++`MYBZs3o;1{5N%2ja-;1>#lY@ncc+n?%K67FGG{5K*}s;sH~V9ahM~%>`;K|4Mt`N8R4iin0Sk+nGPHI2$80hpIg-;T$Ec>n"
            "{5nL1Z>_6PoX5CJR|~3EOCH;XuiIwq@t6c^h3jBi(wI)HoEix1iWP+!PW!K_t|%4wHXNAWnx*!4`Dyi<4jF59`@+6rs~FUdq}wTbKU-6>^%Iq*32!X(@EH)TQ=oHSmXWJc5-D1tLRTGON^48&znL&EULNEy7qm7TgI@|e#*V=m%>uh3%-^2g"
            "(GM2d1EUJWk1Mc=|9XcNoLJ6SbMacEX$w>ilTyGcr8ruFsxa&dfyhn9MprB1JBx(y6vi~Tl;D1bAcMeyZ<LO*GV5}&KGfj+**9|w=D(4Yfae<(C9D*~?elnZ&Dn>7KBo*eWSX7b0A7@RYr7Qgl|}+v?UI@(RbaGMd(u7PpuODcw`c!_(AH^g"
            "B~xxU^5*zzudz(SOsO3vVre_gBqe*crt#Z}OEan071`;+zb<JSMyP}y){sS7_BbxAfsmkbtJV6`fIHyd8qh^1wYe!~N0+_DtF*J2+>Dq+i(KgBjejfp82t)P>Jsr2`qTXC+PP?>nH-5)mPokhVOv}&PouezWgLRJTD&ifJ&nVlWVly!03{|s"
            "Dl{L%p#{9q7D%>)cD@Yfn9oJE*i65An6JlK;$}xUmC8`CVK@XnES=~Oi?VR~s}azLK&9jZlv7~e_|S^ugIbPy^737FE}l{1yC#Lr^9h?s4|%XT)>l@J^@2a>hFx9CS-9mY1a`cBg7S3bWd(<_xckstes2|?&))Hdxh|*5<up4%0gl9LC$y8F"
            "_$mJVU&1fSNP{W<LvFH(H87jPt$cqBAG^1T5GOD!`?|9`rz(zS)ddX5$=rhrx!_tUmEk(rF^$x{-iV^vbBL!|t`G37vN&?`K=_$ngjD4zdNn=F`yC9}fk7qLmBI)|YhYHGY5PDOm#<I41E<0isw?UiCJ45261D^;FCU!L0YkoixfkrGpH^oY"
            "G)tEZ3$BDb?K@!1C)ddpW@rgjMPnCe6@in2TB&NFS+c1}j_K0_Eir&CYs&h1!KGIO7f&NN6LDLDOsbV43$h3aHRxS-9Vwq4ja`c{l<8C^=7F@H>*%DoDnaYKym><$yPJ#}AObPio^0cnBf_RT3IEyJMp<W-aOCObHb0wte6I8>Sx!}cIcDZF"
            "z3mDQ#=3Ht;np0t0y|nIX|iJo>>&pxf09oI2UanGlmI45eAh}rxfF~|<xqO4p$ANh{?ZHZpF6cyH;di~U@6AM>l9EF%m*p5v#v7PGbR@~V9RM2v*Te{3ws(Txeep|K{KR0J|SX$Wv4-acg>sqwHlmhN>uQO8I~7dn`+yuR7t|;cF`P$Chwmu"
            "a`(=%uj_+Ihyw0;ux`MJ-$uR^3h{QbmeL77UgZc2eG-t?Mud+wYDvbu1iu3JZ8}Yl+27mF8tBwDRaeu*Hxv0L*M0i#|8ZgH1=+^t`p%K>f}t(>%BZ1Orit~ABHL7uBMKVS2<NR`f#vDb?+$=(hoEW0<bw)dHk~T3!Z91oR-W+Bn8lY?-dU<6"
            "z#*^7S@GvMMky~p(HA89<3)0L4!<Sn@8y&wJd=Tmszr|_c~Ueu-W+RU9F1AP<|2(T#8P=<?cdK}QV#}i2>fuOY7uc%K{$YoJC8wqUS(ere|__`hU#g<AL9<6!a}J)v2`%5DE}NBXe2C6up-uwA3)Fm|8-+hGFPfN`Zzt%Ia>UN(cP)CScDQ0"
            "eiHHk{<Qkq*i-|)dW<s4SBbfcV|ckvMTVW^?kCzxeB801W>=$|RO6q?2!8OlmOL@K3q6vjNvQY4*Sa4_Q~XbVRQ~&GW7^@F@QZ_z{b$(CXppsWPhHDIzr)|vp@a&n464qWsOmACk{eI7MONU09QXpON(N1ad@-?T%?L($Xdof38#zV3#uaWw"
            "YR9L**J-Mi#<E4Vg1+v8H<i**lC%h)+cWu!QZ`+nI5_slJD-n!O9pq<x83ANV82caSaBO-ia7{j)5@s0kNKbEVqT6mgh4@(UqrmGsKM{^tHcFPE<+SXQ<X=X3l>!wDEy3E7ver&z8pa=^pV0>3ts+wVg9s~E#eI#WCzuuvw^mGB(6z^`A)x8"
            "J#2ll)ZJq@KYE~vEo#0dLrYf$acfCosnpc)l9tC?bt23|x+WZnIkfzNX2_GKk5^(;IY`Lp-bI<6Cj$@^1vaFNz0TESd_M#8?L-X30gW@O$;;pmj=M4yQ@Qh8$&q)MOn(iAXEtO%`S0*MGu{;Xd=_swGj`ya%R9*b<K%Z+Nf=#%OekWpY05RG"
            "^gp>SThb(6N&E(916fjYI%Eip@yQ?ZSJD9F*Ev3@EsHbX5^=`fMYW1!yyKpk-s*Fi7a>s6-Akw(KrzcPV?JHQfml`rYs|JAE!ywJ+}NWuHNvS8FZQuPdn<M~Bab|u%mp1vHdtXCYhpw0tLeUxN|cy2{WPX8({inmop={5k(@yV37?)t>p2Cu"
            "i`%@H3zL_YEdPrR=cKY!2i4PKSY3rT`d~u4I}P75)yK-Si8mHDYv~W^d8c}2C#ZVt@^`XYLr8hw5_8*V<<~6GFvqJp5Yo=mLi7}oMt*?32`@ChAD0~^vGW4t{!1-_@|F!h821HslP@K;{GqtuWFA2a`6loZaf>8YQ$;G0WcPy_Tljfx;dEWL"
            "PGT9W3XPejNci4ZV4|IoN@1?8<WMW;UUX9g5x?b8;cZx!EeY^Pd9m_D=Y%wbsE;0T{@oqrHQ)9nZKZbZ0qeO23!y>tCl(5qer*Vi%jJ=fQxyIeLDwZ#RA}Ze@t9qWJB9C&^+XxYlAdHPxpemfRDqOZr!N;+JPa^z!8(NPcktHM`&nh`YS2nT"
            "JD9^&QOdhy!7`vCpNDCz)`kA^Szm9c3=&6?OX#x=I^zG<=p*Al>gCjz9)OUyqO)q}6Ag0~m+a5OWqQD;1vyvg`{4!*(ruc`WWn1!4gXHnmsL2~%RV$uhO?b27^+-h4ixDx7ZFnsy@W~hTcGgh_)wsgG85bJAR?jPD;C3?_#*`^3*arlJOSxr"
            "i@=M<8E$1|T)0{<fRytZw~oA1Mo-luRk#|>;I#7<<h120hlS3T4pv}R{|SAuG{-eXEB4hVV3vr=o?`dgA2PvsP|u=tj(GpWn2B6rVF*2(>wG!KiMTXxxR+2mbtHj;&@x$x;H>RSYlP->Qs!*(g0Ii+K9CB{=~~uWWpNrEq-8>uz-bcb#{z#@"
            "%6MH-*M6j4j0AB4S;e6nnFBN-)QQ(?odErhp)bEiIkY*3c~xu=uYYMCuM8qwx++4C=$p~|S=#q&3w<+5BOVG;{v|bKmR5svs2d*3b0D%$V>Pl?x|iwe*N<-vd*FSO;I*N|ZX`M!6u671J8zsQ*X<EVD;376d@`(QnSzXgcozMKa98%*a=M^#"
            "UT>4D*<#|{P%DrWUguL1XpUnZ)zKB#Q7RnUqFSpRJ(#osgwZSvGJYA$alLUO76AOMuM57_KJgBrpjZSIT^k{q$Lu6~8m3V!uGV;bNv-rTq$u)pTF!?$Zj=_c0)0M<_MqLqbZA(6JyV%_Wq+|ja><lJPXq<MkY`umIfYU|GJmqyJmNdbuNZTA"
            "OS7Ix;~T_DwRsH9%MvLXRa>U_ytybhaz)*Lt`TW=cW(clJ4()zv+)`YT_`j(R-232Cg?=Xj)wL&Wc%xJ#}KQ}1^DKR6<P!m*T=;Vn})89+t#@>D48e+{U4uH0Y(l&T*M5nvOmBB=)*_(s6O7I%K{f&)6^%3=d72&mlwOj*<NKQ4Bk+3n}U+e"
            "muaVoc0}>y&m{Wx*2Ozlj>U@WMaWCJyL?oaiP(yRS9Io<^XIGCvLtai2V^?MgMe>0>(y!m9t;a5QRg^sKmU7jYwN=nmi%k%(wEVM<rh+=xnG1N9@sB~Lt#1C=QI7w2{wOT5`W>T-2MUwfn0z>N3a5Z)%rXVppem?v97N{L9Q&Q8>!YwWUot0"
            "phCXx4FPIP@2QLv0pw{(D+krCmr1~FT55j#UpyX~J20P5+^};fhMbRz|2cLNA}+zN;>a^sl`r_@;&&fYtQEzgc>#+?*AOV>qmY$fgHym$;^ZntX2N!am7R7W-Q-i3O|B#DtB?c~0m^R>AvmcA0up2oc=af0rWdAp(`Q}@x_sA}vaCA)AccHt"
            "fj4U_MtxV4Od0aMg{M7xg(^3cso)-SZj<~jZ1_0l{H{<ZJtdXWgOz5rN?+~2NU4^@uqt|-M|mr$MNegE>>&Lv&`ddgEyl}Y5-oLOBScs`8z8wLTwV!_C=hbT+{#4w$KtgN)yli1qb-HBcMGi8-<Gnu*!cSXj<l*jxIs}-$bCugU&73W$?C58"
            "51Cl91^Y4i=>%?JU#j@I8im#9t2fe%_t!zs7z6XauJ@>!KqAgqaur;28{X&3D?rtP$fb7t@}9>LeWDmpLjdn_=JQI}%-yk@(T}47m{~Rc<Q&OW)QF^!G!}!^5s4s@!y>;?CfWUfX$0>M(Xp0ynbACjsCh&E|5r&g5C"
        ),
    ),
)
ALL = WeightTable(
    0.015653,
    -0.1753,
    array(
        "b",
        _bytes(
            "c-kDiS+5;enx?nr72_VxKpv8sGL@M%Inmv4_eD3#C>Vw>{iEzZV*djh@J-(|Yy*a??5?gt)|i<}N}_nkGwmtnH7~zW5+q3E*?UK<^?mR6JQ1;}!e0;?N}g1nbxB%JQ`wM)ChoZ*acBQ74mJ{RtFgHmsIy6X_9?Kok3$(l)O*G+n$1a6J~diy"
            "f(Xhj6`hzk#n0jY%J*(s7P)XelB%G=1<v}Luq!<ysy-*fceDtMyu>*VlCWT>oE9Qn(m_zkl+TRGWputM3U1~_XA;CWOF>PX=PDC&R3{$>?b};7;`NJIPE8`roLDS|d~bBl*A<aZ(dww39rak1!AQ>hkH>`bz2=oBB9IgB=tN)aDTbWRzTO1p"
            "tS2cd!8KD^sS|HhPP~(Wk0J|lm~IjeRU*mngl3+SG1;864P#7IN;DHnc3HLiav5i(viyNAvku#HqSR+{vNa{i=+n%3j%+HQoo+X@BwULn@%dWvlz5ZaLtEz?M!gSXQoQQS#<Yjfi9U)DvGyj$dsiiT%s(fZB_)y?lU&$yYfamEndHSpV$AR#"
            "(j|<+BsYtrHED{v8#76TR}*1rxrrm2dQxGhu89u^VlrjSE?JzoBayJ`Q*^w?g3JZ&C}Edks90oK+OnThv$?oduyadDav{4N$?PecqL8d$#AeTA3dW_aB=N*clVb2HZ`tkWofN$ALyV!(UL@VOBK__{gx5|bJ6^kQ{qE1ZCFU!7MYD^_eVj(&"
            "8Ma|-xf5(hIaPFtBv9rBOX*qWI+Z0hHtC$=@*PVrA~(ycJt=P}U*fS8gQiuWbu4MjWN-2uY^D6WV712KKG89xi9Xi<oydbqg(EnpCKDfZdhrYM!MlPs^mOLoZ5WT!mrYa)TUeu<qiR~n1DlskVx*ip#@vAt`ZttrQ^=H5lh5hmXc=UBMUH{6"
            "xv<$4KN6QSXD;Pgyv;FD8K=m8bj;9;97QqHPvIz*mfFqM;3vJ+&e<>sGiQ6GB=b&By-@hos1*A6#NJ&|O<nS6+gwrp?ppmGy`A2^$~MpH^`|iH^21Zgp5Kf`VsS1RXFOJTi4}HsO}Wt`9m2vxZ0m=V)9n+@aSW)lK&Hf`&~aL5`W$aa#SR&*"
            "Ta4YJ$Z1<`DubBFTK1+K&uGicD)K;|JmEJ?2I4}Gt{0qM`+ti<yAFb*d3mZ|c%E98i(z8qJc}&7*Qt^rhK2q3<jklXnT-FM3N0(+;!e0O??+Nzr;#qZE;5lmR#?hP<liJp9Mk-f(=PknUZY|BAd(>8-~cM?xyuE8pS01E^aoVYr(DP<cZlld"
            "c6}+=e?SRKQAw3GcR!-wHItgrY^lig%oAgGo(59N+8&uXE16gzDjo37!VKBpi$nfD9XE8Q<rNtmWnapTko{j$E2fEHIihuG`Qn@-C6UXl!l9>BOL5F`m%?A8{|fs^!;2Ri+U7m>R)rY1qMedj^!4|wCzD8aP}*9>E}7lMAzJzgjUfi9Toh4c"
            "V<UB%UF@XnJUKc`@+?*AeIoTll~0_WL|$0r;a)Q23#B_&IJX9bFBnZeJL*$Ea6zm)ew)aIF6T5!PxZysDV5hO$6-Maife&T;q94C(Truhznh+2JY<h<D{DHrLBv-s=6Ugirsod=aWOH*>1O;KEFp#Krs9j4R{V|x%l0Xf9AagtU|1dQrB?bA"
            "pN5m(3LljY@$8+pyujAqU<w67%-biYd1+5*HY!v4@F;%kiW`>4s7$%2vv@`zi6DIuM~f7uBP#!&5{Z;9zT3nfA0#iCX4w|TI7K#X5{#ru<)7#|(4umFRQjf*<l(&dl2!!kkQF10d_<2#nPT$uZVZtna`OeDohF5-ix6K8Eh`L-GV7z7>^>OE"
            "XL(cmR0@YaUM9YYg0VuTyj3KR{cEZX*(#NIKL^w6V!08m?c3$oY?;;lObf1Gr^9bbzw=XJDV4=3)Lgh4DNf_eLM{<5B2M&oj$l_~RG*eIlv+q)e5EG2d*s?jT5ZcI7%X(iIfa;%6H8pKi4dQel5$zTHP>Y~Z!&4gw|uBC>UG{@Y@RGH3&L_o"
            "hDTji-%?BlDn(5`jowFcE_f5}xBQfH#p7W^elD3GXust=H09_LPm$*3q;K-SWo@&hRMi8c5`{&JvrSTxh2UtSmp<ukG9}e9M<Os4camZron{*o-siKpJl|E4&EtH26{nEjWfJ>ZbZ-DN$`t%0#IfzW%g<|iPGtE)an}bH8X5X3^3<omEDh(T"
            "DHVRZqB%2Z5Kb?(A?29oG))XZBI%$Mb2BRQtKCB8>j((wy?!;e=c=6Ll4k7L4`y1FJs;BGM~TXvOx%V6NH8;FKM;{p=jJZOR@O2mLn)?3MI$}Se7`f7Y|t2t9R$#cDI|FU7<m?(LiygYivbW_Im&IFL??6>gPm=O`Q!mAh{qv1V#$n}D;Nt%"
            "P{v-6X26zMPAA4Npu!~@(-8W|krF4ChHS<MNsR}4O{ZdmdK3tN`jpVBWE6rSBmK2t?h3e~gehk_$}AMd2XZ$(ahIZ$%ml^4QPJmvK->;L4CfN(FUBm%ScV~El;2+@_aTQR0PGY<j7Cz2xvo;6fIUQf6>zY=%0&z6TSP{Ba8l~Fnrt6SIo~}x"
            "_Q6zq=|<Y}nKiY~l#`D$XwRmUqxtz0@q&=Xo=r%_F%_v!Sr$w!lTGTAKJzc%B)_T3WBBx83-UQv2`EId0$2`<;GBF}0DT1wvFG!cym)9G{~{@diVY<(OGvTsfYKrH&8S31Y{rbex@5A%^b~fOp^Oc=QS(ww?4Gx|o@R8-ZBpinYe|(-W9gRb"
            "Br&h|!fgPOv!Y${fqy&gx3RRqa)1irYo-|8qNCA10|1isQ*JWTsd0TJu<WOzLN`5DPLw3EaZ1!{zFg5NZp4o<n!?+QP@HHNzT8ATb%8wh*gML3vQ^B;?F}|1dghkQ9iu1SYq7!JasgV`^b!kA2C!2dPvR63Ag0VG!b+MBk>W73bqjWwkl6YB"
            "^fLk+m5O(SP~b5`)@S7<Kxn}}3pj|*o8NjJUE@3}h3AoPKaE2{QL&|!!+b?2rTpjYER_|`31>XS$|Fm>z1jTVy+_4Q*Pcyj=S6Q#p()!b3~;ckri!UD%u?i2G~u`&AlqzWlSP>c&qLBAa8A&6hxFZ^$5iaj4vWQ|d#3Uy27=sJ)-s74?MBTw"
            "xhbbTfE?$6zXh;>=v2%dC-yu%21yiq8EJ>#R<7<LC3GTf)e|lZGY=YP4Avr{o2#3{uIUshzA<I6@uw#mpc3#Hs8({zys0OWO@2pW7Im7l^Tb;E*(k{peJox@`*I;_&Pk~0H#8K$2R7KEn@eB*cwm7g^mBD(E>c-Gn>=2MX5<1;!xO*J<7+C4"
            "K$<HZLU;{(B4yxLem~3qhXOY%iwszZWJ{CJ&q(JaCZ*#b=k$Os>JoMW+ki|s3Uu7QlxN4;yDbqlfVb`vM*W{C$?I}|l<3NQq8O$)GpbHwQ=|s7oOD|Pck!?DOi0ijyMuvsiA`<6F6c$Do2<lP`L8;~(_E(En#>CBP~{RyEzYI%dU0?&vZ(BD"
            "KqI^dq9h;lIS>5?fn(-^=zNc@%H9;ry8-j(dlTuue{?$wr6~gvyrkj|aG&|U!Qk>Lb~W>jqsz4}e<JDx!tJ@~(=l(9AiR)GZHWs13h6ASl8<(Aag=cr64v9jp2#0_lBt0NUN4UIi|AlGKo~xua8Tegs#0bmuW){FG>#~#Pt=-4m_PU1pHCQM"
            "z?z#R(St>}Gz_|ffe9xBnQ;fgtfJ_!s6@Qp5{YBB93=&lWY!XpJ_7!SiJL+Vutpg2n{JU%dr~sRLmTJ>RJWoFl0HOky(ib_lwI~i5MvOVLcrKY*R{=Tl?BlxgaZW92MAh-iWz4S_;i?3NSVx=KpoqVL_#R)MnzJ=eQZ2$=#<P0&~s1x*&bY3"
            "+xj+Uupk?$Nn!pUQ0Rh;MA!Y=hcOXpjxmLHzoPSr6fY{7?wB^Bpy`VC8_N&<3x-pu2cj1MOZfK}m-a!E9cVFMD|6xHSGwY}Ll9vT*aGtRD($3nQ)~yVpTZTAU}DfDhc}o_E6{l5g!LVFAxXPAsez^vxPJqkCH3F~^NW^Tlu`O<-jo>1b-I-N"
            "z{JS1Sk7#=+&GuZmwCiX;^G%hYI#6ePlVDc;T)~Vj1RfZBFv=Y=Y~jGp%oKFf6Hj`8MM54*Z$C;!J{46v8vmF`<dB)P)y82&8Id@>B(SBg!gEq<4Jg-g1MkQoUeRR{vs`?BJdwd?t48YVW-E;3-wn|etJi-J&v)w$kTc$rDO}vkKc;8-=o9S"
            "$<NexXdI$Z++<v@|9}y|zsTB3Cr6u>L$iHdd@Rr_70VNBl@1r))(*AEr7bxBDapnyRCMG0A(R6-a{IL}!aS5{sZ2X=r62(nMd*e(GUtckR1tEI*7$+gAk8d51q`4U^r8OEvE9iJLh@q9v=Dd$EVF|)lEI7R@3SZ8{DbruO>%4en#YCH6fq#?"
            "Ws;J|<6CaEg_K{?7Hy?K35wJ)XaL0w&cqy&kyubo0Ueprd}9e(j2~j4ui>2MTicvpqp#6{ynApgy-hFas(#6l-vV2?7Uqoqmo!gV6C|Qev~woA_${M!Mxtj~|1X}MO{uF3GA-tTjQq;hTkSF6|GzS(<-+<YT>MgX!R*?&^z`>6KDz6MxoR;J"
            "<G!G^9a*1{Q_P1a`ZLRWnI3PH&4qY_GPBu{q~V@Lz5A3eKAwJ_EGuX%xC!P3jO?}>Z+4mDFCYn5a>6ua)NO(s63T`eG=0!6c16aCWsX9svFO;9CXf6wjURgr<5(KKn|~$e=nDh@WumwPYzdk|t#wMnTTz8}OpLFZk0~3-FTtK<%AmS(At%A7"
            "cuwDmS%snZQ#jV;>~W;L&ZW;l%jkahM9IV*44XBP+QG#TBrAQ4qD3D;jY@HjDS9M}ek6Q%--<fdd^?CYnX0%YJrOKroL@4bSK<Ys82$Ife3=-wX~Ts*%O=chxp@RWdpeF*^yk6o4L5SB@QL6YH~(x=i&>gv=fCqfBOOR^pgwuKEG~pY<19ve"
            "zCsXeot&s8@?*@%c!l0l)T7AD;E_fC-Ryq)hW>T(|8-+)atm~Ph<A5xw2?Dn!m#rYh@t3Ql}1wXG*zJK@wylciDj+{*_@dT37!MJea{Wg#or)XGAolB{4hzf!4eh0x_#9~b0qd3)956ubZ3PjXN@UFHo~h83`5i<(v48ffE326(;qAfd+(^5"
            "^aq+W_t*IymBH^S$CZ;+@t*;>G#%rHxQg(JU?hfla@`1+E+&egQ;|-k0@yi5TuliGdW*1`vhf<aMsvZDj5CX{GhkpIKVe+#9C$YIOXbS)z8GNBDNP%k{U5sf{QRlzv6_@)RQ|++<M;AdwFA47Bf61)>`?5jLT?*2)0b;18&Ce4$}XHNFn!2N"
            "v=76IPkf)Q%R7q30UGAxH5%^fM<KuZmeyrq-e))l+5F3e>zsNS3!3RP3CmPH?Hx!CFB~iE!dh<ylqz5N5CXk(1?DuF)Z}ESB+7ky><X}Er{X0dQ8sgIf4Z)612;35k_CwREH@-rO<P9E0Y+0-Qit>kp9dchbIS-Jg8Z}C<<FT`)SX#b$^`;9"
            "PKK7Pf?4G8pIQ3Lys3%Ra@2<N4xVH*PQTBGG(SdpFaVE*1wm#_;aWCDNM!WMx4|RF{CW}X8$tPzs=Twd3|e6Xa~g<-=uswNo3rENLaMo=yqUHYjAzo@P5D!flZ%agvlP;T;|kH7d^^oqS-ey%*3i5e<@oZ(R%Kt06EkUVhu?PPp%f#L!-a;U"
            "+mf%Y=Oz9U2N`l{5S44RQNmfV5ME+8&u76xk?1Qz`fu_q{hxV%Q=S0F$+1_PoaY?AsR#r2WV&}bKR$v<t@4Gi;(M`E$50hV%o(f%74p5CT{^A9(C0^e`-j;WG$9K{Ewj;VEDBpII&Mg=$MRL)hS@Oto8^J}88uyxCSqq0IWj7=*%HGLc!)Sx"
            "+9J>ZM$J2vfffry-D_49$hk^UZ3}wz7jLTt5E|TTF*#y*334KVn&4lPn$lvXLs-x()Y%`$QbzE*zl9igjPA~C)bjS&PWr;1p+c$9<!IQcrZzoU82J-Wa3N8dF*#t=DOAJ}loi9_YS5LfIf@}#aO#r}a?@-Ja=t>oGZIZLj)suB5D>BvaT3)p"
            "xmc<au9I8PHvi-$=NYi28M?Q|dnfc4yDM4jvo)bk$^Pw-Yv664v`huI#(n6pJ1BN67F!!}y>?|tnMz*tduSeVaTP@YeU?gklqgG+Ls34241`}~-qI4rlXyYg`)A{~`6}M9I1i?36OSU_dH_$j5H@>-1*2szuA+`~`y$B6)Mlcf<q?ICnjlO7"
            "_X;p>8y|@9F1`<^gb@*AE?Az$t257ZdA`jgH6;`{6=Ip4oSjAMKB;DUojYVOF@>Wq`N}4G!i#se!GB?GDobwd_yjTWA9WFjUt@T@kbqjw2NUA7`W*Qly$4)LQ)m}oFkauVj}W7CY~xnXv!CRTRlU$0kkg61>D^SX7%m{ZuV#h%|J_|I#-^OJ"
            "EC4MynDh&k=-lfV%K~HEA5%f(S(|UNYF)tt)lwV!u?(j-Tg-Oi$>M<}&~(0D+Dl5>UI#PZfKuoTOWd=h7t7Xb^B*YJZ=N*i#r2ninVxMC9nG)UUgTj`aXMZIJ?>MCq5PymO=1<TP}OpY|DbU!@j)YYF(;dEVrUu!OU~`4)a&R>d%qjxOUt{9"
            "j@!C~6~?Uto@}}o#DCN{LyRXC{7W*2vfLI2?(s<?b7c?{wL)L<4HfgnZv*0<%fQR*>Hg8!)?Zs}I}w+J9C#tDsye?r`YXkA^!eJ){>i7y!0o?zF(-cTA79tPeai32W@LpoF+DKu6j}7O<dAJEbLb`C^5MIy=i<q-h9r>-Quv>ON3%O6687mW"
            "GNAWA^Zj#K0Cnta;~dA2G;VjKut?Pi-Mx}IKNKUdq$V#>7Q7v1ZP4`p_%p+qGaqAF<tX0;5Q7X^PXNW?E_jh=yyccHQ)1WEVN^46-^_|YCQn(YIWG_=pNStu#J*U8&UGbY&p<X8t3DF<MQL{TAzna!6b_hKT(9S0EMM~1)i(ZavP?2X0Px*_"
            ")Xiq$JPfSAV9sGZ%ObPz<fON`E?272kC2cYC^3E<QQvL)`mrmk;<Vm6)qGw8cSAU?*UPH3*$B#1K9dKE=^E=W3h+0V9|$R0acVJGci6;S4xf3xZw`Ry+qG+f;5RyF29fq)mXFzYW$r~HWVt0Bs!!n@R3(Fnl2FDm;Za9$u?vQx3Ma~5G*r0$"
            "ai(z&=}gj(Qs+xS_`XM#kL3x5C`sNr_RrE`nc%leteaE}Il7Gho~Jw?YY8=kV*v;Iw2?omrN2z|NY#Y_LWMT5;?LYO3Nm%*#%u5p&k4GvL|KiAuy7kfmDVvO94l)S^7;Jbj07<uY$(4XGedSzpB(oY?bT;;Q+Kr6#3gui=`I2jp@QO^WY#T7"
            "LH7MtkZYd0P<sGUY+<|6`@&#%Rm3=rSI!>O3vIkCp)Q&IOr{TD0N8_CVosl5GK~Sg=u0|xUhwBJBg^Q!&<bWitaD_k3I4iZN{))n1(zsgr<G^q(}dANo`}m!(b9#d&8&T+ze8_@rC>`6>}caiLRQDP#WJ%3KQAM)kVWAOKQ-qmkBLUinukIW"
            "!U}GaqM6S#>wD>^h-^6{#4yvqDKz5)Uz2>velHhu4DLFiUc)h-D~PBQ{X25!ECejDxug@a7vcXUXFQaUT{ev|pjgUcAhSR;Woa)Mnd|i;sKCsZ3Ww}LZTSFEVC$9lvMTc>$)Q`ZbtGdg1p3DBLvaitff%>?gQL@Wu|Zm3Tg`dJF#1u>v==Ss"
            "^T$trv7n}CGJ-Gd_QZSQ`t{N$`RPagz08E1!ZmDI2*Z>7vLYE>uQ}LaTWG=#Bv(mIJBjuUw)kx^Eq<{yc64zxZIr9q3f+|&<p5D(oS6rK;jg?KpSNkN_&K#EE_5YmuPo4{BCi41WE$0B$pz9HO2PhF$NbYrm5L*)<a&q0UE;RQv-NU7N+{rs"
            "515kK=^6f)$6v&wJezC2rHQ`)#Sy+sDcJuWQvq}&6=_(HekX@`a~5(C3LaoE*8^SUqXa0=5Og{h5lusQ4eUd_^l_ahHgGl(T~YA$arO;liWwRb8aNOsiO8{8&Y+b$lNUt&qCYO=x<vEvF=qYL+Tl8VMr=zuy@coW*0!N3w;&HH546>BCjIrS"
            "K$~<kB0g?l7w8yy*)@+3<unu<gq*9Us@r9A4lE2LDWS?wv+}!txjmj)v-1%URAa(XzC~r)d3i@lP)v5*0l|5>MaM0I$!s@_Z9jwHW1NA%bEQrZULL<Bv?#?R$N--}m;SeM0E=UaYGD9SP&*r+n?QU+UuRf&=t@QMb;)&IcOzUP|IZnOj_n{}"
            "VqKa8gjH<`hE2y)p35%u<|4)m+BiOD1Q%<zk^Pe=K!9a^azb7x%*#^0;PmNwiQCv4vW{LB&M@~U{`1Tp%<>c!dIEk^`jO$oB8l8IvPX3Ik{~9a79!o`0WB=^Br=e-Bg@xOErCE>hPh-U^Z#klrC0eDWn5J$Q&yCATUG<a4qIX|!uExltDD3+"
            "%sV=t>#)a6P@D8I(_)BV;ffZQ3s!r4dr!v8$MrFU`gQ+L)H~?iOna(22zo%h3rj8rX6`3Cc<ev#Lqv_ZHAfJswPS5Itw1wM<$|qhxhFH<lhIO&2}%ALwEsb7V^ba!*8P~4Ovav+2Jn>{eLF`WJ0gK*2oS49_`8Z&S-6|JnI=8WFkrh_pOa;C"
            "tT}wyh50g*HYLi5t%DIYS7M33N6XA8a&#|5=2{GU^8A_p%#V38>!m$wi8axMsLRIzyvR-#tjpu4e057Ovg9SHtP8TvLRw=6#WEG6z6+znrdi+85r_Pqg6)g-p&t0zdpdIhi1}~Rp0g`+n`A>@QCG%C7@}K*Nx>-^$Jx1e88&KoOh@|~LWo^b"
            "9ZeXqxr@kd7G=^G%TgFJSUqL9vzGPKh$4d0M$z1_L5s}t7c@RGZhytj*K7)bzf!-G9uA{OA;G3pCJ2&*K9%~P7-dF#OIpZV(Wn%U#8%!^ZY!S+QsX+!-AA!r3JH#(eLleTs=*mA=?KJG7MBty9J8=6&hTMuX^QT{D<dhXI`B`mgdzftSjKeV"
            "?+a1PHJ325C{~u}>qnAbN@1=MX5*#|-Xvg$Ji~v=+m6mn0fW)L?O7eSUX0W&pfs0!bEcmyMo%Bt;jRv{)5H9P!lPsgd0C{2&uaSbGu$BD!MtX+<#NWy@OUwVJ%3#~Q}3V&$&GZYNZ*f63N>Bnd4$P}-~l;xOnmltFt|UiIwdsyvJ^S5ki$X+"
            "^n6I`eUOo7j!#`?sh_LiBSQ&OOWA%yJEgJMkU0O%Cqb_cDGh(8CDjXGgiA}U5z%~8y=6fZMFEkr)fRx6%aC#q=9`rK0lVqYXC9hUD|pm;rBel~StKO_BE3H6yQRHXD{HD{*Ohd*ij&+xS^R=y(cniR#E?H1iu%lTys#Sqc=R_8Shi)}J(d4Q"
            "OEKWB-cm2gg)XxA2|ym|J7^J)4?z#3%+CyN+kB{IwBG@A{T7v^!H7p-D$CsYy^YCd6NNIi4CIV3-Jo--JX5l9T<lyBIByi62R>xthJ%@6b2^*WzO$2zB{t3-@=Lb$6h$=;_Nb`*5fw4HX1%TygF2z$63+GHYkSdh3X(2MWERNl>9WzbKoMnC"
            "WzC1FBhfLk%Xcms6j$n&Jue@<@cf!cOzRqsz}tt^TNZV~(!Z8pZX7$wl+$~H(|s;DGT9*zD=}Rr87fgbg#qZm<h~_GjAn~-hf6SqQOJYMIUP;G*m{+q>Yc@5Tg%-0dESDtu^n^@pJx@4arSN0+=#do=253Wh!#I(_LA$TG(y(nCpABw?I%8o"
            "b+2{4DwERYksVncMS8wy09nZWC;Ae3t|?fYS+!jJ6Evv79H;$4P2^=oMO<%yQ0^nqDRS!g1I*J<e`R2hkFXgICh$E^I1?lcLBlIWxg%QHcFB7=W~_T@<Xdh-e$52%M@QNb7{)~2(u${qUxeSZXrJ<2x&$lsqhBA_q@t-My${rsL`;mH3Jr<K"
            "4F*VHNmh#pb()cT34m26Qxpi0$jDhrW~=paJtM^WhzDUva|S$)ApecvPyOdP9rIg$%RVB&XE*RzGIvasR|`nxtIW7`C4a&yLujM^aaw`<xiMXwZn0tIIpOFoMfTREb-*WSj9YGwJfdlqZSDv(i#YiN0oron3&<j6dA%cxsi0c&vIX?9WR#HD"
            "xcyLIFrI1Ixb+ztn#ST-<f{5QOo9yoSjKi`xDGnvV9?|~X^i?erORL>;6}}FktgfrPC*ze7yQG<m4whzQSdv&+kvm_zF0>`wS1KG5#=|LcngH@?e(v8zbv_t38MhRUvko*&fU?0O&o&YZ&Fb^Y9-vvGDda&D^3(k^Wqo^$p1}ZJ?A6Cu;qFp"
            "mC?V*mqnggK2J3HWAUf3DJLw*a@5G2nXY5j^R~he9L}3H2Yy!qzX;y0o76(&Lq)5vim093oq`|UrM5l!Yg_MQYAxH2)1K^&W=H87w2cez*?j^#D57}7yR1V1n2W5((_X<vVmtJONa6;3|9FW07a(Vh7eD1NEyaW57wE*zG%4{XX?@(HTQ7PE"
            "&>vQ#xR@c20U41B>jp)iX5^IsPC1O+Qhv2RAe-iD0wCt(Qf!+)ilz}|!A_4g>f`chdKjMXaneB9H}Q8+ViMC(d>Gm3UrfJE7V|FA&57(PCd=?umB8@tlmFk`P=xo}dV-7TGwow)nmktSqJQEiOu5&=i$9==Af+uh9mnx5g*m3%-IPjJl4Qq^"
            "h~(_1k({P}!q5>Dk|UkAd(N}o#2xUDCC`18A2RIXq31gD_puyhk>mxYV6#+Ny)c39GGDv=%Aun<sS4!No(x6B=}zY6Es&Xpb@5W~oim%!fBm1>wb;}3ISqds*svy^WN}&OlwLwfH&;-Nnh2|AirHTucmDGBBMi{6vbAKN4Tvd`BphBPQF!!("
            "?vcxxDDmvciKk|hdzqe8K{QNYHC8+3;X8u)UrTUpP5%|(?kO@9UC|lqw>_U1P7jgGD(U`}wRxeSNC7U3N}Ni*B_`CEGZ4RlR;Y$TpnDg7xNuiMq9jvqomUMfnoFT`_b%DtVQYksza(oO(4)toM=3NEWg^-SzMWqV)_4t?rCb1HAeLi(T}F46"
            "PMOj>6cb7+dk4^zBrODEP|X-p1A!~m_AM9sv}KH+UX`8;{voMxV;JFQN}44#L`|v6NKb5lBY#vm=^hEEbr2^Pl*Ei!FAL>-*mp?z*i}i4T=Rqq7wL>M6_*apC)a2CGr7}Ke9ETunRTqYVg7YZ*T=3*S{P!?6Ym5`5EV!i;fn^ign_35ut91k"
            "UJIgWndrjuF)nE8KV+YlsmQ86L^{c{+FVC(YVYCO8sy!eLP!iz5n2D@b54fVs!`evf3*}=8jrUz1u@xe!e5CZ$3bRBqq-y~zZc6+xE##fjt@wakiz;*GVv#)Ly^R;P=6jup8L4?v6+1<#ymGMFNv>@fM6hOYF`y3V^yLhMU#(2(aIQ12d=K%"
            "IR;O{lARNn%yxXoO4=~YnUTbj@Es-hPl*eokQc`HL6t@B(jQIRZiXBJ1HD;CX!_Z-aRAcHJNN({P6$taO@Xa9kIB)Bt+y7!GO_&wVvCa&tT0-CPume2676DKRt56)gjZvSLZN`hvJ<(Ef=IV}4HPE`>eIIG;oZK}=M?iz-mYu`vJd@2iWK+L"
            "wziz_s$4+^)-$lV!Xi+yz8K^k`#;u={UunLib_DHNNyJMC#ksJFFRy`QMv8AS+3V(lx4wqdLjQVPYWmvBBw^mMCM>B==GH*y#y2`@qz$$*kgPUsz(bM^X0j(JePIbqWTCGFLUQMQ@E_pk<!?5@5oh=_UvR}d2fuMav(}w#Vpt0Ww)3g0fP{9"
            ";rY^UMpXCX&-1jhH{>{cnYsTmwH^1VwDi6fN$q1p+D(w$7&G$E^^Fs-{&y+&r4;pMpzHnX;>1t-9FNqaA@eNlLf<?<9Rw?IZuPqksyq4k(->%N^5Q(&=&ax=^$aytu#u@d2T!+26$azWGkv#=w=L72Odz?EscxpNAdA9OYt<#!iNf1#7EC?T"
            "#Hh-%fu<Lvd<~R}{;B0`*A;9DuM*d31LlAxZj+3UFW;c@r~9b(DLn<lRe_x*F79lGOpCcm@U3Efd^+WYvyf;PiwoI#wK3#GdTcJGGrF}?38Q_ZWjQ5LDnP30IY`I@hNKI}h?Kg{S$wKvIb7bCzqZ8VI52UP6wNQ^+l&L>>EC11YGIkVVYJ#M"
            "47E*2x|*M5V5K1{KTmnRhN=iJJa^?d&`*mm076RZyw2N4IxCJ&aIl&sUWBib8eF9I1uj{-O2OqZ5I_?7JkWEfFJS!G3J=ovw~Ts(8npU8>s}+C+8`%)96+4%FMRxb1tTiy8#Jg|lmz<^j?TI~l^eVX;!JqsJ9~LE_hKLcyi2wt7!7Atpx$4~"
            "^-BK2t812`AGC#yqoqbzi~8vdUYu+&2Tzy{^Ul)%TKgrMGUX}eYmR_9O^HXk6wiEgY7ig6)Z`;2yqh)!&$*31UY1<lf!RH2AM8*x{=(;bOsC=iO6PszIVA;GK5YpP`Z4sAVi6O4fYNP1#mH><WxCylM4m1tf2(-@AO9X6VUn}_WxeX>C)@VZ"
            "j+u9fs}q5|$5{UZYQ)zZd9Hl9!6>sr_C9u6B@oL3$}jBu`J@E{-*FLz<Do`b^;HSmCfPHhi(Cg=Sr7=IsX06aA`JLZ&{NH(IW9*=PD?eU8eUJnSmdvORQW5fFi~i+b;~@mv)bngOMEtr>v|Wf4OB7TRnQ_>bdgW=HMHtH+nKHRn{I`W<L>LX"
            "OKb0TnQee8VIp%ysAFY_*PEkc`m%mG2<ry-3nL@@)Ekpj37we?Y+_9Pck<jkMG~)OfDd~9td@ct=mnz`Be^N;md2iz+>}l?A2x`1QI>x!-KQwP`!fslqvzoem6B%<{aS!Htdcm}nh&rVUbN(LjMyCh91->MO-H`BG_!hmOf`sEjGdu~arl6@"
            "v@=ZAB!8FoFfn^G1uVncj2Ytm16?1xb<<*^(edwn5-n2%EK7J~v8CHl(@y3xhebNpt{jZAdu4shZ<|9FY5LdakC1mx{@UeB3uo$x<uxR4R5WaTvVHFM2<bTs64Zj)VCxear%ja6UfBtH9tyr*fz+zD^k6V)`NpH<Qv6s0p{gB5<%AFt;A|C("
            "ceHF-fX;!60tQkLTbiFH0@Y(_hl0Jp>>{ids!Yf;88%v{;>YTxd&)hs(8mqEMGKKhR5iV|Z@i(sOP&0V$BE7uQZM=9U;C)9xcx7UHAR+j2)W4bzs9KzJFu;zeipKpsRbQ&BpI@Z^@bl#JCSIoD`72)iwd1eer=CrK|#|c303lF==O#;)r2+N"
            "WR-twSe-1<WaH9!ps}FBJ2YSgc4`l;dlg~Lk&qNp2^WEq(I)ai<s$N@bbzcmQR1hAHED=3pSdR&Pe+&%V2)0la84vu55mo4I@QC60bH>xS9u}rMPq|D9Un26^H@)(_39>!o3J8dkk65-tz2+25}(V)ck^G6?JLG2eq%`o{QKL9!vs}8jB)%}"
            "tV9rh`(YkmFr2TG7ACQAs|z9hjJ!#yCNMoLphT+=9cuGdK-V4W<c`b4tX^-=F&szbmOh5fu3E3@0C13IV4lh;Cp45lgufZ?7#qoJy?)_@EnQr=$^hZycPy2fNOC4cwuZ<2LcNgl=K|VLU1;_(grQ>7@7NJLgGT%us#i?0{Z+d>b;={r6G7-k"
            "<wEAob3xm7&UIEsvX8L+cwZ*TUt3}i{ce08KU>7;Li~E07NLjH2n<Ya3%_3>IrN7S93(aTAQ1zYXsizjT8#ls(an|nm%0(@HAxR+j06jUbwJ)<+o?i?(cLqud~#C)9rYbvOtO6<lhkfR0AqE&1gV|VxnHWF4CQvu@FV-(xJZBhY?WXVkt<S9"
            "Fwxs#Z-C4UzgOlmIQc66Tspo}biJ;fgCb8ITMRO^+@xwlf8SHfO}h8+&Yti}Wzb7OzB2z1>RY@`tBEUq`=XNaz34qTj*0DE7^Gqh%(q$2um-~q!+O}LV+aqZ_{R(z7e`x0R(0#Qg+*W={hez-hmvjNIF&59YN>LYRN_gZ5V$mf53`iTig%f%"
            "!N%y^G=IUYTWXLb0(SW~Xo6T_1RoEnDc{%e=PrG$tVJq_iB<}fb3P+acIAxCvUC2B8hiqol4AlZ!}%ZbEB`2~=?RjV#v=KWEb!Q+Pm66r-*d@1+ge_dEpT?E)7x2y?04yB>PXM&NJ&uxZIIbf`E8t4`y2y*x>;tlHa&O9uFu6{zjr<p+LG&R"
            "QPGED^Jmv*U;E@m#JHIr7tB@isP$%xkyZw_3sgqp$iyt{fTE$Mq&FllkcX6>A2rRdLQ<Qq+HM|XaTQ;3K|s&UL4?-p|8G!oT!Ki~2YaYHSbNNt$p_FfQB4)x%me=zmyLU1q;(`d2Q5P3>p9Pscg5Z7d-@{tTe5zkgYp3c*kOpgP3#ab4JVW="
            "@u_#fLaeS7?8`@=&XEohA+(T9+A+@d>Vf@-Qgi2@VgGsSJT}v%YQ(wGrP{G7&R1yKK&fkjh~qg?ofP|(X~Q-Z{rVtt@J~c(0w3e?ke3$}L+*o>CAlG+vJ`VcW^-SP+^PHH7UQBC6Mf5OAC!}-F)G>{o1#rvd30rL;fb+WZxn^S6)N4}mo4Pq"
            "pB6S2M^1L)t0nsU76D|}slrKfP2kR;DoA}$Z6*(C#`}?KV9lFQuwLvxb2dhWx%vq&WsOyewEj4=lBj2tXn?X{_w@YbLkvd+)8&(YV(YcC{CZrLd5(GdQz(GY8s<{V+mJZ=+#;H&6rBiFj0p{PVGJsf9i~&rIyFY0pR+pAu-<DW)L<;~HcUY!"
            "e=$<FXmQW-vVO7sX-YY-&+JP1S=~#`<+22$^9#~17t?sN-asN3=odj}l2Rn-`+7^3bD8;mvpoUm^EcT7X2Q%~im39P%j*q713PF!xhLPj>(cVLjIV;<@~&aI-`UEeHaVC+%bBwi)1^O=l}^@&2si?C{mQH20lf@=V2=u3v3@DE8?fe^nxv%v"
            "(#JFzhV$Y}fwCJNK)uN0MJ*L0HPP(5+6S}Go->@$yZ#l)Ms!2I;2bwX-rgA;a+E(@O1ZU8fm91BCu&{-U4MdA;W;1E_JHm|zVlfjEE0pk;^Wt=6=4YpGnH+2HMK}Pjq?dxj0K7{S(b_JRDspfPgGv!_)7lDQKkgk5>v8$a+`A=<@J!#5@nSr"
            "gpR>{9u<Eq)LDct$$`%S{J*YAiKcZ6mXU0}n1R=%o)2yq(~C&_=`n^gs^&nuq)A)^v+J{BBaFg6_kvdvbj%E7vYm^eNEX~Ks&;YZM!U2tcBLY=aR`b$*+L|r`Il*d<o)aQCS@t&K8{u-y)B_{g!L=-tWS>`jBV@Ihsz;3>Y_Su1wf4$e?3e-"
            "%fZl7zy9F|mBt#@acP2G5`BPDB|UxNotm28d!Y}CPV4>Om>RS|U>B#N`WfXuTp7q-E1u&R=UVxN&0@D(EQyh(^S)T}-=R3t&Csw9#o2`vbU<=|$p)}@wLVN5!elH)WWnIEanTAWXs_w8-n>*jJ(qI*(ntt7-XN8?GB_07%1yu>nfSKT{(Hyr"
            "BLT;&W_?OAaP4nD`w-8c()T*hG$4b&LVj9XQ}#?Ay%|%-UKQQR7r8GIdEMuIF1?JQBs@cisXHOamnU%0(-VNc;LAQ0z<gycbs$$y7*t%_f!;hHy}jCp>2l<j*%>urUL4N<kDG?t<1lBgL+&QUnIr`LoYQvwzVz(yVTDWUEtIDS3{H1y0yX_%"
            "zKiQuJOFQ$GkhQmuLMJJ1SUfug_oCL*_-0@c%yu<sm)PdSlAIHQoXr_pHnn~<TFOENBqzi42~ao5=d*Kh;-xy;B)Z9;}HJ9f2O^;;iLb$=51jnC5f|f$vt)&;vur4RFA4;2w&PjbmjWkl0WM?s11oH?9|`SvF)twwvk5%ai0?jZ6x0Rb^6D`"
            "#<V09askqV-#MM6ilmKPAT6yei4Z9o{^O$+VL68%Xi+33m(AGG?ieKZmEo5{CiDA=0@~Ma55T<Fhs3s-Zq}zol;d`(QP6RRl%!;MJnva933*3rE#h|rC*_hC?>%gZS-F1kJgoOWFg(^T4KQQlcF{uc8M6UVTM}CI5W;$7wU$J0rftCmNI0+8"
            "r}aD}I-8Sal_qmP$s)PZWKQOQb2}3`7kz4AXKr2brbdpu%f3Wg6p<2rE$G<hiJYQgONpcb3SrGIMZQ5VRqAVM$jsB9Ee*#Ew8O;f<cb~E50F+|DgQ&@#d77p6-)h_6bky2)h3@D<M1B(3;J!Ef{AWmJWDR<tj(lZt{p<{O4DHS@~ccs-=KN?"
            "A~F0amOGR6ds{4z1!a$Eq8B71NxSWQ+!Hh!SzIhCB<a90L5o0=gqN0(B^he;2if@b(J$hM7f=ksRUhT(#?f#?e;yN2^fvk>lI0{%87tyuRw?!BinT&^i8jAp?<kS9w=e0F1Pev!F`}_&Z2nYyH~oY>lf&*Fe6kh&fnfi4i;DXRiT^3(Kl6G2"
            "zrus_d>T8kc@>~8%Th?=ImTS1UB$LTEYLl)y-mvf%kvg3^XnH0KyLKg_0M;J1xdM?kV#AywEEi(C9g%$H+kAeZtq9ed?<;zetMf9e|^srRmzKTeYl#a88Vu08QihRm`vlQPO0O1UW&CG)ntTVUb}#v4zo|-k@cH<P38z#;iQ!uLp&)<9rSv}"
            ")RKJ)t@qc`$Ji9~Wy%h<N!Z9hr0%@Pd0npHT*}+80cdzn8`dv&Mytd6)gJ0qb=~A-(&Xlm6gq5x)5r--Ce~jxlV5qSs0g-WiFx<m@O|>WI_`cUvO$bk6$jghSkn}$CT*~#kT&Be$9o|~?sy#ig(YDP*}DIzr3F7(S4P=J1g2Az(1CB4g#cMb"
            "NG!Lf*kgi@H};Aw>ow=`*X(_umY(9%wgfgPJ2{?%S8aMn!q^`#v@Q+$Hhe+G7R7@-I<JqV+0xGz?ulQahe@A2aaAeQL0LKH<unOpZZ1=`{&60WI}3e<jQtP`ge-X>R};B>I6?1dCeKN|FLILCvuWvMCknldFGhIiQ=1rfba6Rl`FeCmtV1@8"
            "JWt9Lgiig(4f+E@4LOH2c}wOiWG=Cij0JfHf?SWjXOQ|?a)44;<V*HF&|#(#))~S~_N5J1<9a*8gJ$+KBcm3O$<qIqZ87q(;TyYHw+WP#KcXL8ox=1O+|{Sdprj)UMDIZA2J71FT<RA7{P|v}SL>g^1R<vUdHS5mJ5J}C<a^%PI_}BwvoLe~"
            "{cB2VhtXLC8u0TZ<h;v+d}>4SF4AxR9XD+;7-7rom3u`?!OY!sH<9A9%v8FUr$8`{UW$7q#J;&$7&}*~*%$rNW;V;V%ztEjy2#ZK;294&uXiK<K_LUzOWkb~^@Pt}zjnvH;}I*{^Yww0KZU)riRFZJVi%j$(?VIxE9XDJ!85-o0Y@5j;mF5@"
            "5;qNW{Z`_r`c6Kn7?wkDWUdi0j@@SoG+HWx&V%UXTTR)uxnK+fN!2XOQGNZqk=c`yswKZ0g7&0C@un|5PZOf!=xWo!Eb-CaJm!3JLSj2tz3j^AOV`Vg9ZlE1ysGoGP+zjSZfFdmSid+suHR(e!&X^UqV8s5WF?s##8}nAFpA9tXl<-<;(Riv"
            "5dfbT<m+XJPJnZ7Y&Nq9j$@{w{0Q=dL|9ni*o)22JMP3=ZQAVYB$$(hI+iZ9GB#ccE*{l2>1R+bt7}G-S4BRKB(?M7JY9q0$olM{4g4aeIn-poL8w7LXz+E(t(ZXqd5f~A^n`2zoudVVzJ@TIvY@n>*bh9L#MbX{gwfn>PR#z{wi~VbDK|zc"
            "DbHK&Jl2auXO?KoDFfhxT1Zi5oO#w<+3NN7OrIKY&2Q<Oh)J>Y#4jI};dv?$IJ=su1=(ZEJCj^b?Nm}tkj-pDXy)K7E#mqhI{KTQJZ*S)DVfIGCmsB((qY#u5-h`{(s7>RdcTk4{Jm+S$OX)x1SwD&qeCVx@o6rr*+d*=l|AD^5oD6)kImvY"
            "5+jAtrTrpl`e&Sjd}p){m3tX(lPM>Rg>XVsc|Un}7xtmUNv1Sc*i9$7{8}-mNO_^KfLWmIr*1hVhF&#J6@59!K{}`-^gov!ahRv$9TOAXv{5FzKDaK*PlR12NowIBSC{A^=l?GQ2XBDRr7pQ=I=Tc7U0#G($ei;ha=;uCmQ4TouwI-A;86g4"
            "9xhCb+E-<7%jl>qS-JwhlZNt;`UZU&r>)?3=VYK9iKQb)En(G$%A17Y?{Gd-Ltm)e-fCm_#TJdo&L3dj+B4}E_c&I5#0o_w+W)_!Gug2uNw2fbZa!SULqv|1SwmM3R4*tH1SklgpcQw5UO{iCXV5~@Mt~rJ1W0wW$sVezt12^Nyt7X>n~v3{"
            "hRBQvzvjQ4^Bp&{-x2T3Qn`~L7vWlWP1cgn#elKNytNLID3#7~fhA|QJg-jn!=9~vWS3z>z&a!DHw{uVc6V^|H0EyJ=tchVzAR_^wX^RsU(+T9*%eZw2ubxnb8DiuWmzzPOz^cSEuf``+P&|OquVOI^WZ8N^kVbYJn02#+GKXdbiW{*Y|mAt"
            "$|)XF!EE`DOKXP+{-hRK_7O4kGT8=t5J_qf4kwz;4kkeULe4|(<BRG0UVSDRz8vmJeB8y6`!0#$N1kJr^>fouRXL2n5;#BI|DQES4L32!dCas+tTj!N7=TpC3jPA;%mG|2yOiLjq5=W=-<tl<g@_wvKHlDQmm1!*7f*?}%4ooWirn(Q#RMWZ"
            "gbniy=_TOYl(%XOU=CCEmvLc7d6(xXyd<KQ`~mr4FGo>~!J1xw*5CiU)%rzzkqS8Exk<?n0hb-N*%7ye47P##z=-sKzrH-sHv3?oXKzINMWZS|EOyHN#`sFpu%#sZ%aku7Ned8~%5g6th>tU?UB8d>%8{IiwjBZpf2`!G@u!KD#|>qxTPmCJ"
            "$jW7Z-zT*?;Kz6nQl`lg#-9*9pLjBI2r&$|uSW^XNFS<rD!r5bWzeDLMBK)(gIMP=G(fm;Qx30@I3bKh_hiYHk3hlHTw#GA<L_v_b4V3PgQ_gNk(21(rK{dUPD%@-`6y`h-tBAK=Gt8t1%ASU?AI`;i86NK<zXYd5HLOU#}<jZdWw~6W>h60"
            "JV|oCq0-xA)fJbZIQgp%SX5<wDbJBZydK!<?_AjeM(K(!SM3ScYz*8j`z^a$jj!hjkNKD<BNt+3h{O|3evEmdfXe*Dg#0ieLn$an*^h%n`TERj`Ne<KZ{0G8csh%lVHKYakypEzA3muFYgV!9%2k_2?f7ZG`efiG0?E=hx!Dv(i(SK9v;#1("
            "^uzk_M$toHqn!hT+*p2-V*)ls|0nN6-%jzP8J^4bMG<{`(&^V5@(!S$qWDtyoY~3_LJSZuZ<tC3__XG3i^TG`%#B$FRk&KP)dP$HbDNQ>9HF$aKk-*LTN<xtl+>c>%bo-yO(mYiXM&jBt=zSAAR#pqYJ_;9hE)h_D9>A&V>#hVeT9sNPtl1@"
            "+%K3x1BM$DQXovz(&S^tI2_o#A+Fu;dNz>649c*^&5c@ZMA?PFHY;B?SwwO%`NdMhmMHv_StS%-rOw;vGF{Rq%eI&nsHxBDCYN?ZiepMCc38>N1vh=BRa(&x+MlJnEWT`ri6{k;>?v6<q7(rzd%#bxE8r_aX8h3H;1A>a^^70;`;|GyI_P;<"
            "IgZKmmby-uhCe(LF*lU;hFA394<RxHLr?Qw%Cf4&VyiuLGi-?y>BL{hA?r90<YeONzb;3UNFIU!ucj;ON*AjGEJB?o_zitz%L9VqtT37Z_6<-Zf1&SWy5wriRm%4+(j{2g5c2v$=q4nyPA+G|r5o<j&iv@yn+)6DUVl2E7s)frrOVAySfhK-"
            "-ILf+zSQ}RBMm6(-}P66RF9|{IIZYa%rZCL+JSUy5+<9zc9(z&N9vh!7}w*7+}1S6ww%(M2!2oD^tIE&efpc3(R${-Y^iEt8mYtGBNgE{hDu&7LmOMk=RQ;Ss;t)^7E+B~I>2c?&Ir>l5QX!X=>#zM)JMcQb~@Gq*0XjYQ_K`e!a0K~Z&3aX"
            "n^*5pK=8lH+u$xf7|eQhe6F}ujPFvPW|6uT#R&Q7+2lIk!GqX-VMMT_M#aozCY$#zaDR^wYRl4N$bQYPm>(5ymsJB0eRAE;pn|Ts{=fJ;p&M@4-7GL174tt5I@4~JQ>d!w`^^*G*_=LocqCS^S@CMaM$PZZ62_HS-p!VB5cI96K{BWkGOVen"
            "LatkUo-h3cTx6)2lfl<gxU|MWmD6opcg|I`k0m)Kx99__5T8ymPAXF26*)S-!t5?5h^fm>c}9qvQ96N`s{Z{YzlgqURTzo2_}jhoVv&|EqU_uDgj`R#CqFI1ayiHRfeq?jJseEy=(U|$j-S3EyWH6ykYkPS=1g`oGhF#*pd&N%l1rN*N8URx"
            "u9$1cCutvQup^i0NNZ;M%tHKj1~0ZF+g)q#H<t_XPhNyWntv(5C4M$Yg4ySA4$xlu@fNOjxXP)$`AoE}zQiFUuA@Z3Q1-eu=>&03mUZdr>M6fgev4Si;yKaL2G0`M%~iu8D>efHMGP+A&5OD7J!SUU1+92Dmd)BREx169@40A+U`0H~MW@eG"
            "Th~Y>*+I{(xxIkLu3?rYtPMj*FMSXst8&#K?~%!Jivj*-zpZp&+T**xb4@v&ohU4aR-!Bv2gdxjfq>{e>0GQ4M0=gjraB^{lU!G)cvWkB#=qft6mm(h49KX6ss_r#5849VZLKb;^fm)hGuR;HBad;UL_-dAQf&^T9I4`ll3mUDb2eFiWR(0)"
            "M9thRB0ZDY^6PNmRU+2x2C3GDka&77$5!H4^Uq62=C@Uj@qPGMR~R7PG^fje2+5nNR&jL=N2IOAsCWUGmA$;*%*$E>-PnU&G2Y$TBonSJbFanVpZK?)x#lH%<xlmQG*PGqjwPz!hisZtu447&TC;A|L~}@NxhA>LPoHAGx~{6t;(hxZaUG#B"
            "tYG{^g<h4-a%-7b>AZnJrND(q$HY4y{LLyK?MFN6_j+1?V7Z(hSh|-Xx)Hb4(O{P<wQ-4SIg-+blS0|Xm@Xx@y^5S~mv023ou$*U5{OwyD~y%>IAm-S;DQ+F@<-5L4qx*)mSHbS6~23253?3?2v&4W>fvhUk3{l;Ul8f|aViUy#tNC%ymZc6"
            "4?OL)?Y{@it?67g{R_GxrDcWy99`Kly8j!e(#j~sHr-b&Wx+h%h79>@Es?Jz(YOPzYUB_((i5eaR0}Iz-EyMjkHQSq`sZbZo!cyzRjxfbrTm;fi2lYq&hs%s(wdaJa=V(F<Fverdr^*$E_wiCCVGmW^!59FwOV+bRy+MnOxd|gG8`#yF}<_F"
            "l#tQ0SfuBygFRQP`afR+Pf2lQf-C#IKX`$ElZ}k}_?GII^jERbD8qyZwou5X1(zIh-gGc+UyN+*?B2KjVSo)TrM)Sik%HsGcX^UJ5}Ic+kvi-pV$n<^t|`f|)R*KN1e5S5AJ)~Ymd>aXbD;UeH%pR(E-1yq%K!^!pN<^$Cr7rB(!mmV8v)#i"
            "?1X<$-S}g~a8-XU9Y~2epKJLZOdJ*jxI!Le;Q0?^H2F&Dq23XDC6H{&1VUKQ-2doau&x{lOLF_O#tgXH3~rNimBlBF@Ii3)80pd6aooODjeyF{J!z^r5={)7r%OY8=@X;uCls++E_2zZvgR@)v&Yf`ijW6HXytn64qmtaX?xCL_2`JvVS6}I"
            "%c__66r3JIC#|nC?;2y93@QxE_6HPKzQP)v&tg8i8^u5CKVwL&3W;`)^6jXmY>WKKf~*1=ziN4#*N}ZXSMEsW_+Q2J=&MW3B#jqs*`EANER(T@0YQ^0t6vI1i!9R`pN0<Mcwq6%Jo(Wz`FU-G=7UvwUWalFPT!HoYI)%(0Jn95RTE>Xy|DBM"
            "5~t-X2sM1lx6BgG(xO@On50NC4L;yocARQOzw)syk5U^SkjPN>EJn4?f1R5g8sTU?lum$YR54I<q=d;@mF~Q;U183czHF<gULN7Rb6R<_&8*?R>Rq5Aq!DT@)DMib$T?|~abqgNY<Hu($Zm3rT7U?T2q`ax(YyOjjvqw)fu``k7$>2<I_bpx"
            "ouT+3OuTN?RQj`t@S^5~@=pkMPHY_<y2gY^2C7_6xv_%_*M-&};6v26jC!4!c(H`5&Cq@JQ&S-6w$;syg!9EEw+6bG)(m$m^SimDH`Zf_@MBh#c$-%-@;YGP(p53{Jhj{+n#a(;u$9o%j3JyOmGhcXF<EHa>CL6|n|I0l)LAEG!){ZY@xy|L"
            "9P@KnCny1I=Xl^K4}U@F=Xk?g;1yWOrdtTx*<JDdB0#<(tLpjXAb_GK22o8sR9BV}t8xI}YzQwlRXw(vJDtcogyp>C(gwIJ$(D8yiPRd=4m@7*#ni$C0WcWIi8I^S(LS>Ot-wTzf$M4rdTrB}U@b`*+&%@)evv@|Kz~R|4T~<P%1k0BWQ*sS"
            ")+w-Evzt<v+NQ&A@bQ%Wk<W==X=NobWqTxN9bEQEd6#Z`*nYAyN!e8EH9ys5FSn!O4>{cv<0x_~$*+!K{dE^4wd=J4taPQtQAR{qZtG`JxK-J87KlSLGEBc`u!M$Iok}OAEB{IciqT|YUmAEzmrtj)(*pN`&@*O)aL<dp%Fd^n>e5z*IMSa|"
            "0!)I0a%r}nCOgGPBo-^KEQIBXKhcx;m=@Kpa|xQ`ae0ec0KFM*on}Bg?)h$gvY5ZYfjT<^l|{H;UPiy1u7s%Cm4*+s^^*_7Qa6gI@1Z+o*+wxDtDE7A`2r0oCHI#mM&!R}t8(N$l};xk^!|X#Q0|KCVyP4&x4QJsz2>R(>x0~xwWlpW9%IU="
            "TUd22JD@PPHz~4C{qE_&^PS9mt>H~mx{R)}f_5%E@*baL7FA_8KTV~&V<UAFPoBIeCpa_g9O3_~EB#E9?c4^2lGA*_=#&$KpJHh{+<?_+{Zzp>cp5Ui5lHFB=RVE}7sSi<(*3_7XMBn`tE@_scE11a$%Fd?NAg&g?s9}Z3#3w77C<n+KtLdj"
            "Sx@XR$xnbfQA3EQahhORck6|d_o*CzO`EcX>O_9<Vn}DD6%xdz<4RD+8J!T9x%d?+f_qH{W}41UY7zJ_K=7&i2f8X9I!ilSmOm|`rmHj3mPKac#*_6=&xEr%4@%uEW6EoHPKLd)NIKG;Pp{pXZS)@V_K$F^Tkczf0;>XjM-aA|vFFI%3ukGU"
            "U!2Q=3rhp9&T0K*#3=#Uq<@pg`{(92D|RH6`KHP<7v!$hS*g&J{e$!I<p|K-C28aUJHi!Bzl(L279`2Si*rN6FDf>R^|&T;u1rmU0<12ty0C7k<jlqkCl}K#ke`YINvuXp2~H;Zi2Gx&{L*bwR;xj%WJP$Y{K>4Lv9AFVh%;>UP5tiOD~NXU"
            ")9FLR&!xtY3ZiKzpW|}Av*h62ru`Ct4*<Fbzf~0ebfV!Uuh^>?!n4I3r>*U0rQ&g^NJrdp(Yf6y7W(p10#YsI&@`v(*J2yQ@q#aKZq`aB3lf4{xoX7l$2^PsT;I=ozA$URi7D!d2(Zfq|6u)Us$A0arC&SNjki80FOk}Gcw)QQfJF2Xy0QZx"
            "CW06a>q7RnGy)-IRs%9mroTBr+L0X^W}HYny8np8=t?)#7_QOK)v5G@AkOFtimosd<qG+Ogn4M^2P*Ptznfm#`-OW%Cx~AU)uuN@tiQ_hk;kv17@a2zwH4xgX}62Hti?x~Y{zUajgTAoP-LfGm#tiEcZxsAYMdpgX>6zi8j@M`WM<E#ycNYM"
            "Heo8N7r}o<w2!hUU3^9ig4R{8C;o-qR&4oiofps7Vc1^n95{7sNQ{N!QHW8BEwSa)nig#;+k=j!$+1Au$~-6_R#tnK$SUyH7#e9vK+ags5h8i;<{Sl`24*fgcQZ_SN;f|R&5WAc2PCqPKi8P?d!TXc?l}9~vJG)lqfQ)qhV%|;VPLCYLs4|X"
            "5M&)LsU2tF_94#|%_5zimuZ%~rx+f-Uy*e$$giK)H$9jwwWZa=x3oMppw^wJyiDV8A<NavZ6eRgfL;$-21)w3qh-r(ygQc`V3DNbvw&<Un-Ny2^`ha;kWFW}`Jd9~Pd$?Wrd0a>)Nti$_>q@>p&{I@C|tsmoe>e`fXfN=^K#|}j*Kg2a-Qe6"
            "X{7pVFA_f)!Dt@5P^VRS^g@~bD`N}`Fe5|^(*iZ|OInrGvjQfSU8hz)*0vo{SV+17VPP#5J(=H;Fep9&+937-nM`F2UxEc{E#v8t%>$!KmaXEK$U|unliWN1LuD>J&_3n;(>Sj8t7@U-gL7iw?ve4~6gt)Oi@uV22xrM5c=q-MXR=8jv%Qd!"
            "=k7OtP}Z&HpU$4ssd?_T0BPls44aGz1&ArTLLNa4XHR-WsQFKBBW<n}3C4%~a8vP3exrPh70F9DTkeI7B#PCq=qOej8Z(&7O?j(5AkSX(jCqIjZU=uMX@^1B6RiPMhq9c+0j(gB@C)4Aj-*eWD@U+R*&WcPCVJoK4WE!Y1N@TQHdp$dAQ5MT"
            ";ya|1WyRx(c&_77tX$TRuVa&bs2Fz-D=zQuc2}^|Q%%9B{M1PDrx_0TDwHP|->qY52DHtOfmb2X=@U#DX-jO8tXX+7PUw}0OjeN|B;NxMOVck1jRP9i{If~ZUu1J3mYyvT`kU~hDO;b{v>dZ_O*!TKFQlRM*U+p3<kO4zh*-^K>bp?0b4bsQ"
            "ouHiMsFBwG+hwWVSz6BYD@pzbL3BzMA+GVVivv;5q(QA1buXw**MUm*K>+&*IE3JvgqQ%ZFh7<`vyqhYpNSQ`2URRX*6h$D!!rAOF7QQoG+39a+?8d395(xG+wkhu?-JL-JBH*@Ug3gY#MO^eAnAi57eXh^pnI*4T5|%G@Z8Il2nYR;t8h%I"
            "JcC%p+4%%O$NvCbQKa{mwsaMid_|8+<-QlXLDldKN9qV&T3&h}QT9kD;{UzB#V4zv6f0RN{V}G>Yx~)~vJ%>wDwXM}GYl~mQ*ZEP_4NaSD9IIcH&65w2ph#i+4#Dx;?I;9HSza?FpX41Uee4%7$6DPlpNh>>8lwZ<6zt>$zB;6jA_ORKi$ab"
            "v0q2hrOzfvo4cUwHpiZ4Kn_5COtLypQr(=%F-&A&d(`ANWoKS#k`Fkj5M`{Ly>DNXc9Np8xwK~7+&rHMbzfxhp!PyaL5-J@w*!sjahc*aLKMi7JtqG0dB>(thU}xw+5yds@boQT)yId-3S5@9OR*Q`x2_fLVoA@Vd$ZHbKTSzph??@qrm`+P"
            "&VZ=?69ukUj;yxRt^%@HPFTw}e$iETUJTWvwU^9zUM{_E+WgzHWIods-B~&@kJKKgS*5Bpe30$9O4UwiIW4HXj3m%VC<U8PC%$(2{u1^9f=I#iG5e0_Xm3Um#@BWu+R%UuB%Q1;XFXpnl<VvA(*gRy8dP2OL@$wCUOY5h+f1YV?(0~~EE&DZ"
            "7FP6mZD?QKqQj5Er6}s8sIu3x@IO}jDIW3}zp>K9Ut}%I;$(R^I$j0kQ=|By3z4(v#l~`kFV<cx5}PP_88bfgL1`9ggoyocG(Z4?UtpzfN=KR#^0u?2t_a;mI8j*sp_;bjl2RHfwj%dqEG8@|=@)`5DH~~3+FkY8AZWHWxu(2ht0yVVb*|=4"
            "`!xLpbyPyq6Os|jRU~7&_$<W<vau6BEAZ>0CV!r-+}_e^@x{^p=_*{=cgy4#&7Y`R!fs5u<59A@_L+>5l{G%epMeH>0cdL6xrXvQY-Fm(KJY(C0`lm{<|3|boblym-VDUaUQb>%D_M34Ou<`iyJpM*=wLdYb@V`OI)b(VZ}^n@oXPFI?np~l"
            "BKbGsCMIL<P;ha@FY_XG$niquA8|*n8|lijU2<x8-pw7^-NzZ}g(3nOnaFG-ta?jEMRV!Q63<gf7G-NYesuZ{H;F$&CF%{LW=l+aN%_O@+D!kQ<Gx)>PpQFi_(#y@i3!m063DIT?bAFCnjjh@VU+jiMA~kXiOxS!2SR52eu&zpX{Im}a45<y"
            "G^3yTq}akAuAGZ2d<uH#hrKwebZx4S996gkx;V=}VbV!nj__OZD@jc>ZG0q6kZcFCIXg||7Qc>t;^M0@{p;UcV{i)NS3#x_zV6t>4DkQiAFeacj;>Q#JgRO4JN*1+#X`Q8=XqDBbeg=Tr(7*5y=O@aM~3wU5l~DsYy2zJOPmM6)ylc9qrH9n"
            "PQz$pTGQbVrTY@8omE3-O+{0^M6m$e&L8Nq(AW~M*LB7RGHc4h4&z}e+HRb_rYDvasambehFQ|hC{+l6TCJLxxe8Ssc%$yilOH|Cyox@2@1`S2Kyl2c>T=!=!nSE+Ce8OpH)dMXy&K*v^M^5uqqY`>WhioV_W4LLT}b4-9BCv@aXNbd-qvy0"
            "Ms@SceUz1m4GBS2Kvdt47L$DF!n&N^eZ9)f?JffB`m45|3uK2RO7DWC<K!n1%;Qv#O=^NL?J!=SX&R8Lt(uRs9XJzyVB;?(&DG;f(%E;kDy{s(PyK4I;R~mUy5UvVxx&~Pp^_z21Mo^SEV{BFg^!8&e5Ls@1xmgksUTLOY38#B12-452@zPQ"
            "$?<-=RA=NdL+pdTG-5}t3*e`#gsfo6^cYyxP4kuYo6={sbr6ov?XkROaAuD`{NU0N$W$>Zz-8Z#dCV~G1p76}Nx&)DSY7ct-HAPXH$g?MrGET-v5A(2ZQGDjYBN9ptlG4`zbW12Hv^xfcl@T&bxmak&9{G7jr#-KbY}mB(`%b7#53^V?5iHL"
            "4bD$WlO~C&8kz2vbrkZj43f0=s<;s=3_)o)k`BW}O;6~DkY8O+yf!XZ1G}YW3PY%gSUPclpA))ipP1&QkD3kX;JNq(A+lM>`gJOcd{g>k&NsYfY!z3AFvW(i^AwD*JYIf&WkeoSZz^LFBp|KBDMSkRgwFk$1hBLRtYwEBQ*{mLyIkHopd8pS"
            "R?Uf)&bGDIVf3mzK)bv>CrU$H!J27H+yMXMGb}j26Y(kGwlmJuS;48xTH#Xmx8-<TQ(D$h$d}>lr(<htu8^`*IT)kX(K;1)EH8JX18E5zZE4JLXe9U%L3N(X(#8wa97afj>MnuX+EL3g7pGX>s>4&&62_jl!fEp{=avDgh;>}TWrpOPw&D%S"
            "HZ-eOsjB$e3>+H3d_F7hyv0w|{;pxX1rjfp{0OR)Pt_$dFTGqZK%f}imjaHaY*#0j>6kqvk01-TrEx}U!ZMG|LsX+ws*@GF9sSiM7&ql6&J~RJC_WMuzriek<e+Xedt2TlTKNx^ztk#S%I>z57OjysfArzr%m|W*?A$0Z=3F1aEwyW3K?dOq"
            "_pjUIOd!;6Uw5T7d!G)Fj?c>!yT~I@hIkLFI;dnXOJJ_-mGh^{2M?~+O8-ca0VEOc6g+x)*9xoCxXYP+nb(4D(+e6^LM)I><e63F{c1M!EMZzAV_%jJqGppR&mmKEU<##Mg6x7g*SL|jgU^99DiVM85w2d_zPHngDKk+JkNS<jT;|d_xAab?"
            "_A7<|o@3pnE!(W}c(N4ZtS^$0t5)+BIZ&+{5A-U}B7Po2bSXUg!JA+$=DK!I?L!sCFt8rz+2OLxs+!4qE6rQssEW0+#O00|-qf;TV84Z@@zq1Zce{_WO%ZBqskj(!OIx#vl^2mv)RW($w(;5j%&wh>WpXnp^HU=jmcz7vcRH?=v&|a0gR$|p"
            "p0|k7X3xZyClGsv5)58e5;FOmf*F!qQt<ax*LSHB3o<P$%P~E8EU~syB0RgA#lz^$^(|HYO>BM;7-(Dd@nzQb3GpVoNoVBMk=ZY+atQit6<yxOW2HrmsXrmc%6_wzb$O&Js<5DhHnFrF+f(st#*Ryvad*e(SN{w*s<?ji&Wz5t2TU>kirF!;"
            "jhxFlQ(9ge<$W-A(K3xBnw6)aG{Hr%qn2PCpJKx-nZu1V8R4BM68G0}sQqeoEfs6G5VC)jz%~*ocWDAu$SNnJQ)yZsBIvj@Td59Zodm%K>Nkv+n<k8v5MYmI5|1NWwQ3c<{RTmxUM*Qb)vE^K%!UOlQ1+6ox<rLv*N*cz*Yhpv=FbGPCg+6Q"
            "OF)ua19e`)<_T#Ck;(S#9`HQBM2fO+%d;l8Z7Pp@CbH0<)sh?%R3Dx~&d~J<^UgL*O8~Q5-fMapt@N{gzbGWe%ts_aL!#pq>W}3n0)sA}I>Xr#F==l_alcS{@OrnxAcai+ZT#0L(*6t-iIqw%d->{8df4-?TH_Pcfiv?P{g;G)MdnPOK#bm}"
            "=f}z)yw5!+Z6|mQ^Iwc(@SJ=n;;iI!npdq{xv_4@QM#C4;q!VLec3hN2`4~TG|D+->OW<>%rP+W&_-SbC1fCvvx-q~VGX}6jpJb%`SOn*a=1}Z|2?3?1x#FWu;V&@?#KDVmNfNaX&UT^04g6dO$*ez38dHO`LvWptozK@h%{vf20!y7G`DpB"
            "Gfa!b=JBfR<|*l1Y3khmZC`mng<x=+R9g2Ei?XujXoT9(4c7)qC^;KK`kpms(PVn_{Sdi2;5R1H@{JIBE-#`D6bxP7As1=&r_z`Ae2!kfz&DnIB$ST0p#KC$22{wpehIOL2=}6az5qDrBZ9jNl^i2k9DI-V&J>Q1%Do6yg53%Jen6_`VxPS-"
            "<(TF*&`{TBk1w7-Hf~*-*74hmy_XlV`Vg4`P`+pX#K+i73s<#hb4g^g!ie0g#5hq_Gcp=JNB{C^)hqtGxT7UyQwI^Wyd`Ew8#Bt1`*GLEHvLGL6<kytN#j7=?OD$J(V`e=W+UyKEss@rd6(Cfa&mGp@`HaXY`ieJw!_ht{kW&zicIwF_dCkU"
            "N#_4hr9%dt$8s=xM4+(XQf^<>l9_Qqq(A#KMi@BsxxB-(!L%Lx^+YgG0OF-~ug8!ZepJz4fiRIR?otk+)XV}z$rJ%)ZrPL<{H*Ks3tAdMO$36&rkn>z7Y~9oJ#3&p#B5P11S-$9%=$L)@8Yw_JKnGw*M2tah%Cp`B1D)jD+h&2(*+Ki*@ZB&"
            "qB&_*Gu{)EtLNNRt1wk*Ef*dC1U51VNidUYzir1{>z6A?(mGz{Z7^j=0-3M&J1>^&qdC_pDp;qmWh)|3kJ}29FNuf8t9;A(#JghzV6=>Cm3Ks058$lJ`ztoXB)U~kx@+EV|F8%--@GZ=YA|v)9Y`A9KsvziOXf@`LyxKVfOR(To59jcCF^mD"
            "V}0bM=?|yVDKhaiZmd;5ok-@TGcID69wF`AtDDk%>ml6`4GnrRgZ^#a+b|_XpMHi>aM!elcTT$*gwuUvTCupNiBx&VoVuGq!*Zg3SQTxiw>f)R(}OzIQS&KDfnOqZ9R87QL{KA<FDy0AJbv+@ae2QW7ASmaR!Grlc_|4GEy66Rirkl;jx8$9"
            "S6)@|3<C*<2+K$(%lj?CY~aRur`pq12s-z@gAe5jNJ%!e-|89#=4#<<`B8DQyock^s<uK827#mE^J?J&)7uWaUxG8glvfL`K%UE_KXTqA+93b_rbF`IhRg<vWK`O%GMR>e06q?ENZPS5dCFrQk{QBstr5FISvXfYRrlYq2})ICuHDV>K42Gn"
            "0K{J9Rk9n~wekZ!5#NEQWisMZPbzn~Wvr<YF{aCN;wx0LY-j_1foNAVYiT{<zCY;cRQGjx<H7WJPpG&-qH2*;-D;+Y4`mC<`Q~43d9`>Lz@#((?!1VJN75tWLFM6g4ifU!xooSy=*-?_XU|ekaJgfLpiv&0KhUwfZq)6{lJXfBrJ%CBY`}%*"
            "0*y1@l!jdcCr5G2>*S))`GP#@5;dw%d-{(j#!;lOl2ht#uL-$iR7!@54$~p9HZi_?TH+UeINNW_8=lFSmVRbm+FUVB|18yY&SqgPnQ=)xuIl`xWM}RF2a(&V*8"
        ),
    ),
)
