"""Text encodings of DBF tables: what a .cpg file, a language byte or the bytes themselves say."""

from __future__ import annotations

import codecs
import re

__all__ = ["codec_of", "encoding_of_cpg", "encoding_of_language_byte"]

# Language driver ids of dBASE and FoxPro, as ESRI's and Microsoft's tables list them.
_LANGUAGE_BYTES = {
    0x01: "cp437", 0x02: "cp850", 0x03: "cp1252", 0x04: "mac_roman", 0x08: "cp865", 0x09: "cp437", 0x0A: "cp850",
    0x0B: "cp437", 0x0D: "cp437", 0x0E: "cp850", 0x0F: "cp437", 0x10: "cp850", 0x11: "cp437", 0x12: "cp850",
    0x13: "cp932", 0x14: "cp850", 0x15: "cp437", 0x16: "cp850", 0x17: "cp865", 0x18: "cp437", 0x19: "cp437",
    0x1A: "cp850", 0x1B: "cp437", 0x1C: "cp863", 0x1D: "cp850", 0x1F: "cp852", 0x22: "cp852", 0x23: "cp852",
    0x24: "cp860", 0x25: "cp850", 0x26: "cp866", 0x37: "cp850", 0x40: "cp852", 0x4D: "cp936", 0x4E: "cp949",
    0x4F: "cp950", 0x50: "cp874", 0x57: "cp1252", 0x58: "cp1252", 0x59: "cp1252", 0x64: "cp852", 0x65: "cp866",
    0x66: "cp865", 0x67: "cp861", 0x6A: "cp737", 0x6B: "cp857", 0x6C: "cp863", 0x78: "cp950", 0x79: "cp949",
    0x7A: "cp936", 0x7B: "cp932", 0x7C: "cp874", 0x86: "cp737", 0x87: "cp852", 0x88: "cp857", 0x96: "mac_cyrillic",
    0x97: "mac_latin2", 0x98: "mac_greek", 0xC8: "cp1250", 0xC9: "cp1251", 0xCA: "cp1254", 0xCB: "cp1253", 0xCC: "cp1257",
}  # fmt: skip
_ESRI_NAMES = {"oem": "cp437", "sjis": "cp932", "shift_jis": "cp932", "big5": "cp950", "gbk": "cp936", "euc": "euc_jp"}
_ASCII = "Az-09\\u0041"
# Windows code pages that Python knows by another name; 28591 to 28605 are the parts of ISO 8859.
_CODE_PAGES = {"65001": "utf-8", "20127": "ascii", "10000": "mac_roman", "20866": "koi8-r", "21866": "koi8-u", "51932": "euc_jp", "51949": "euc_kr", "54936": "gb18030"}  # fmt: skip


def codec_of(name: str) -> str:
    """Return Python's name of an encoding, as a person or a ``.cpg`` file writes it; empty where it is not known.

    Encodings in which plain letters are other bytes than in ASCII (UTF-16) are no encodings of a table of cells.

    Examples
    --------
    >>> codec_of("ANSI 1252"), codec_of("65001"), codec_of("88591"), codec_of("UTF-8"), codec_of("martian")
    ('cp1252', 'utf-8', 'iso8859-1', 'utf-8', '')
    >>> codec_of("LDID/87"), codec_of("28605"), codec_of("UTF-16")
    ('cp1252', 'iso8859-15', '')
    """
    text = name.strip().strip("\ufeff\x00\"'").lower()
    driver = re.fullmatch(r"ldid[\s_/-]*(\d{1,3})", text)
    if driver:
        return _LANGUAGE_BYTES.get(int(driver[1]), "")
    text = re.sub(r"^(ansi|oem|windows|cp|msdos|ibm)[\s_/-]*(?=\d)", "", text)
    if text in _ESRI_NAMES:
        return _ESRI_NAMES[text]
    if re.fullmatch(r"8859[-_ ]?\d{1,2}", text):
        text = "iso8859-" + text[4:].lstrip("-_ ")
    elif re.fullmatch(r"2859[1-9]|2860[0-5]", text):
        text = f"iso8859-{int(text) - 28590}"
    elif text in _CODE_PAGES:
        text = _CODE_PAGES[text]
    elif re.fullmatch(r"\d{3,5}", text):
        text = f"cp{text}"
    try:
        codec = codecs.lookup(text.replace(" ", "-")).name
        return codec if _ASCII.encode(codec) == _ASCII.encode("ascii") else ""
    except (LookupError, UnicodeError):
        return ""


def encoding_of_cpg(content: bytes) -> str:
    """Return the encoding that a ``.cpg`` file names, empty where it names none that is known."""
    return codec_of(content.decode("latin-1").strip())


def encoding_of_language_byte(byte: int) -> str:
    """Return the encoding that the language byte of a DBF header names, empty for 0 and for unknown bytes."""
    return _LANGUAGE_BYTES.get(byte, "")
