"""Coefficients, those of the lowest powers first, of polynomials on [-1, 1].  tools/libdevice_series.py writes this file."""

# J0(x) by x^2
J0 = [
    float.fromhex("0x1.776fc5f84e27ep-5"), float.fromhex("0x1.dc5071f1209f4p-1"), float.fromhex("-0x1.4c042a76a3d8cp-1"), float.fromhex("-0x1.9dbdd0f268edfp-1"),
    float.fromhex("0x1.09d33c8273433p+0"), float.fromhex("-0x1.03d2da095b4dcp-1"), float.fromhex("0x1.2afc33916fe49p-3"), float.fromhex("-0x1.d27f3cd0c36b6p-6"),
    float.fromhex("0x1.09f34489dbef7p-8"), float.fromhex("-0x1.d11773b2ddb1fp-12"), float.fromhex("0x1.42bc916925110p-15"), float.fromhex("-0x1.6cc526d76037fp-19"),
    float.fromhex("0x1.56a634f0aad1ap-23"), float.fromhex("-0x1.0ff8031261ddap-27"), float.fromhex("0x1.73936957fe7ddp-32"), float.fromhex("-0x1.b558fbbc53c15p-37"),
]

# J1(x) / x by x^2
J1 = [
    float.fromhex("-0x1.dc5071f1209f4p-5"), float.fromhex("0x1.4c042a76a3d7fp-4"), float.fromhex("0x1.364e5cb5ceb27p-3"), float.fromhex("-0x1.09d33c82733d0p-2"),
    float.fromhex("0x1.44c7908bb220fp-3"), float.fromhex("-0x1.c07a4d5a2992bp-5"), float.fromhex("0x1.982f5536ab291p-7"), float.fromhex("-0x1.09f344897245dp-9"),
    float.fromhex("0x1.059d3114874dcp-12"), float.fromhex("-0x1.936bb6244a6c1p-16"), float.fromhex("0x1.f58f159056b70p-20"), float.fromhex("-0x1.00fc7d702c654p-23"),
    float.fromhex("0x1.b9f2e159830b4p-28"), float.fromhex("-0x1.453d29d940449p-32"), float.fromhex("0x1.9a1b7351e81e4p-37"),
]

# Y0(x) - 2 / pi log(x) J0(x) by x^2
Y0 = [
    float.fromhex("-0x1.876cb72f1c7eap-2"), float.fromhex("-0x1.a828bfbfdc936p-1"), float.fromhex("0x1.a5a81d661f779p+0"), float.fromhex("0x1.272bb3b608b46p-3"),
    float.fromhex("-0x1.13da2b14a4727p+0"), float.fromhex("0x1.5827981135a14p-1"), float.fromhex("-0x1.c06cc647fbc41p-3"), float.fromhex("0x1.7bd6bf2ce9b8dp-5"),
    float.fromhex("-0x1.cc70600fb4fa1p-8"), float.fromhex("0x1.a6a8c6c8ef0bdp-11"), float.fromhex("-0x1.31537db2b17c1p-14"), float.fromhex("0x1.651b8f7868903p-18"),
    float.fromhex("-0x1.5994172e627f9p-22"), float.fromhex("0x1.1997efa6ed2adp-26"), float.fromhex("-0x1.89f1f8d706c7ap-31"), float.fromhex("0x1.d99758e3bc03ap-36"),
]

# (Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x by x^2
Y1 = [
    float.fromhex("0x1.21d516f81acf6p-4"), float.fromhex("-0x1.f26fddceafd0ep-3"), float.fromhex("0x1.7edab31507ce5p-6"), float.fromhex("0x1.e16d7a1d07b70p-3"),
    float.fromhex("-0x1.923952d7c4256p-3"), float.fromhex("0x1.41bb6917b15d6p-4"), float.fromhex("-0x1.4198f92a33313p-6"), float.fromhex("0x1.c097bb98fe01bp-9"),
    float.fromhex("-0x1.d1604f9b92099p-12"), float.fromhex("0x1.76c164b810f2fp-15"), float.fromhex("-0x1.e3516b2bf00d2p-19"), float.fromhex("0x1.ff34fd0887975p-23"),
    float.fromhex("-0x1.c3f04ecca3d1cp-27"), float.fromhex("0x1.532ebc8e4e6f7p-31"), float.fromhex("-0x1.b7b8e36d2d92ap-36"), float.fromhex("0x1.ed0a7abfaa792p-41"),
]

# I0(x) by x^2
I0 = [
    float.fromhex("0x1.89ab1e79fc6a7p+5"), float.fromhex("0x1.f8c62327da1e3p+6"), float.fromhex("0x1.0b7995b005e2fp+7"), float.fromhex("0x1.3c6611f51af46p+6"),
    float.fromhex("0x1.dd563dcb7922bp+4"), float.fromhex("0x1.f17946c8c6060p+2"), float.fromhex("0x1.7a643dd805277p+0"), float.fromhex("0x1.b5892bf02e26bp-3"),
    float.fromhex("0x1.8cd44af26a44fp-6"), float.fromhex("0x1.21780856aedb9p-9"), float.fromhex("0x1.5aaf05fd20f61p-13"), float.fromhex("0x1.5ab4afff08b7ep-17"),
    float.fromhex("0x1.25bc1126694ecp-21"), float.fromhex("0x1.ad07d94fada3ep-26"), float.fromhex("0x1.0de64dc06c736p-30"),
]

# I1(x) / x by x^2
I1 = [
    float.fromhex("0x1.f8c62327da1e1p+2"), float.fromhex("0x1.0b7995b005e2fp+4"), float.fromhex("0x1.da991aefa8763p+3"), float.fromhex("0x1.dd563dcb7920dp+2"),
    float.fromhex("0x1.36ebcc3d799f2p+1"), float.fromhex("0x1.1bcb2e620462dp-1"), float.fromhex("0x1.7ed80673f19b4p-4"), float.fromhex("0x1.8cd44af1eb54dp-7"),
    float.fromhex("0x1.45a707fa4086ep-10"), float.fromhex("0x1.b15ac7f0c5e04p-14"), float.fromhex("0x1.dcbab0d890d90p-18"), float.fromhex("0x1.b899b42bcfc6ap-22"),
    float.fromhex("0x1.5ad172919521dp-26"), float.fromhex("0x1.d896bc2bb5b48p-31"), float.fromhex("0x1.16bc17a036b2fp-35"),
]

# P of order 0 by (8 / x)^2
P0 = [
    float.fromhex("0x1.ffb8dd328503dp-1"), float.fromhex("-0x1.193600c1deaf5p-11"), float.fromhex("0x1.9be00162243f2p-18"), float.fromhex("-0x1.b8d2d704d2b18p-23"),
    float.fromhex("0x1.b7eef544a532bp-27"), float.fromhex("-0x1.4d2ee46242c16p-30"), float.fromhex("0x1.54fcfbe0d21d2p-33"), float.fromhex("-0x1.b61b041673af4p-36"),
    float.fromhex("0x1.48f9107204609p-38"), float.fromhex("-0x1.202eebd60118fp-40"), float.fromhex("0x1.84af4636361c8p-42"), float.fromhex("-0x1.c069f735e546bp-44"),
]

# x Q of order 0 by (8 / x)^2
Q0 = [
    float.fromhex("-0x1.fdb5c0b2f3d5bp-4"), float.fromhex("0x1.1e9a6138feebbp-11"), float.fromhex("-0x1.8c84352849033p-17"), float.fromhex("0x1.3135a899d41e7p-21"),
    float.fromhex("-0x1.858d1bacfdbf7p-25"), float.fromhex("0x1.61a5760762203p-28"), float.fromhex("-0x1.a08311da2b2a8p-31"), float.fromhex("0x1.2b95c69e41f96p-33"),
    float.fromhex("-0x1.f921a9be4b876p-36"), float.fromhex("0x1.e92000e832cd3p-38"), float.fromhex("-0x1.0668091946277p-39"), float.fromhex("0x1.03a67054839f2p-41"),
    float.fromhex("-0x1.36db567656e35p-43"), float.fromhex("0x1.c9af9c3d116f0p-44"), float.fromhex("-0x1.5c372909e604fp-45"),
]

# P of order 1 by (8 / x)^2
P1 = [
    float.fromhex("0x1.003b716033732p+0"), float.fromhex("0x1.d73b8ea3c1206p-11"), float.fromhex("-0x1.0b1541c06b6b1p-17"), float.fromhex("0x1.07762648d93e0p-22"),
    float.fromhex("-0x1.f9615293f7a4dp-27"), float.fromhex("0x1.75eaa5af5f996p-30"), float.fromhex("-0x1.78d9f27272be1p-33"), float.fromhex("0x1.def6f85bc84aap-36"),
    float.fromhex("-0x1.64ed30aee0da2p-38"), float.fromhex("0x1.36c270d92edadp-40"), float.fromhex("-0x1.9ff0a24f0037cp-42"), float.fromhex("0x1.dde5dde7cb9e7p-44"),
]

# x Q of order 1 by (8 / x)^2
Q1 = [
    float.fromhex("0x1.7f323705062fbp-2"), float.fromhex("-0x1.938da0a0a69a1p-11"), float.fromhex("0x1.e8e009ca4b3f0p-17"), float.fromhex("-0x1.64231277700dfp-21"),
    float.fromhex("0x1.b9302ecff655cp-25"), float.fromhex("-0x1.8922ebf1b41e9p-28"), float.fromhex("0x1.c9279847a2b37p-31"), float.fromhex("-0x1.45d8148c07f84p-33"),
    float.fromhex("0x1.11ee2566ac854p-35"), float.fromhex("-0x1.060412bc3216ap-37"), float.fromhex("0x1.fa39003a26b44p-40"), float.fromhex("-0x1.1cf38d60b0b64p-41"),
    float.fromhex("0x1.458174013aedcp-42"), float.fromhex("-0x1.d03cbf5a70a98p-44"),
]

# e^-x sqrt(x) I0(x) by 8 / x
LARGE_I0 = [
    float.fromhex("0x1.9bd428ad249a5p-2"), float.fromhex("0x1.b87969bb93a48p-9"), float.fromhex("0x1.1daa72b5e2366p-13"), float.fromhex("0x1.75e5ee7822f78p-17"),
    float.fromhex("0x1.8e513accc76a3p-20"), float.fromhex("0x1.3f49933733f90p-22"), float.fromhex("0x1.7d0e5f25bc841p-24"), float.fromhex("0x1.51d5f84cd03f6p-25"),
    float.fromhex("0x1.7257db9ed6674p-26"), float.fromhex("0x1.02cf9254e7670p-27"), float.fromhex("-0x1.d3b411548af05p-28"), float.fromhex("-0x1.c9aa2ffce2ca1p-27"),
    float.fromhex("-0x1.62c3f99ada19fp-28"), float.fromhex("0x1.f7410b7f70fd0p-28"), float.fromhex("0x1.d29741886cb2dp-28"), float.fromhex("-0x1.ac9afa081a33ep-29"),
    float.fromhex("-0x1.4d2b550bd6e76p-28"), float.fromhex("0x1.2c4a86bc0bfefp-30"), float.fromhex("0x1.499ae7b4d59c2p-29"), float.fromhex("-0x1.2e287745e1a2ep-32"),
    float.fromhex("-0x1.9ae1031554e04p-31"), float.fromhex("0x1.36172c123f453p-35"), float.fromhex("0x1.de985e80c26e1p-34"),
]

# e^-x sqrt(x) I1(x) by 8 / x
LARGE_I1 = [
    float.fromhex("0x1.8ebe783a84030p-2"), float.fromhex("-0x1.3f796198ee5e3p-7"), float.fromhex("-0x1.cbc54df1e8a30p-13"), float.fromhex("-0x1.f89c230c1c6c7p-17"),
    float.fromhex("-0x1.ec8e10cda9622p-20"), float.fromhex("-0x1.76136c8d9dbb3p-22"), float.fromhex("-0x1.ad8c9576be72ap-24"), float.fromhex("-0x1.7280f7124367dp-25"),
    float.fromhex("-0x1.91b62a0449ae7p-26"), float.fromhex("-0x1.20dfa102cdc55p-27"), float.fromhex("0x1.d2f43270388f8p-28"), float.fromhex("0x1.df68969b0012bp-27"),
    float.fromhex("0x1.89426861550d7p-28"), float.fromhex("-0x1.fec28b5e30e16p-28"), float.fromhex("-0x1.f053fd33757dcp-28"), float.fromhex("0x1.a62d3a5241febp-29"),
    float.fromhex("0x1.5e0ee1eae723fp-28"), float.fromhex("-0x1.1ff732137576bp-30"), float.fromhex("-0x1.5873a50ddf275p-29"), float.fromhex("0x1.1be99bbf474cep-32"),
    float.fromhex("0x1.ac4bf6a87bc29p-31"), float.fromhex("-0x1.1f6f8a3689d3bp-35"), float.fromhex("-0x1.f23ff1f27dca9p-34"),
]

# erfcx(x) / t by t = 2 / (2 + x)
ERFCX = [
    float.fromhex("0x1.058671b52c776p-1"), float.fromhex("0x1.5fd386754eff9p-2"), float.fromhex("0x1.1e2deea6b0f9ep-3"), float.fromhex("0x1.2a88e6107db56p-6"),
    float.fromhex("-0x1.606e4154c34b0p-7"), float.fromhex("-0x1.a89eaff910639p-9"), float.fromhex("0x1.9517bb2a4804dp-10"), float.fromhex("0x1.b6fbfa08ca456p-12"),
    float.fromhex("-0x1.5ba42bd241b8fp-12"), float.fromhex("-0x1.20545efaa2454p-16"), float.fromhex("0x1.2ef8d8cc3217ap-14"), float.fromhex("-0x1.1e74612fef2e4p-16"),
    float.fromhex("-0x1.6bd3e360533fap-17"), float.fromhex("0x1.0e6750e7aafeep-17"), float.fromhex("-0x1.36374abd89dccp-21"), float.fromhex("-0x1.e7ab3768a55fep-20"),
    float.fromhex("0x1.14b7ecceb7a7ep-20"), float.fromhex("-0x1.84f05f977b921p-27"), float.fromhex("-0x1.5ea0b157ce49ep-22"), float.fromhex("0x1.7a9af2a8df725p-23"),
    float.fromhex("0x1.36f857e7d010ep-25"), float.fromhex("-0x1.24d58b84f31b0p-24"), float.fromhex("0x1.baccf936d38b5p-28"), float.fromhex("0x1.b3c98de4832ecp-27"),
    float.fromhex("-0x1.04e725a005ce5p-29"), float.fromhex("-0x1.0bd114fe4922dp-30"),
]
