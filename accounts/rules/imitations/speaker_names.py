"""Who takes turns in a chat, in the languages that most people write: system, user, assistant.

Of each language the words that chat programs show for the three. Languages of Europe that share a stem with English are
told by it (`role_lines`).
"""

from __future__ import annotations

import re

from accounts.rules.imitations.folding import folded

_BY_LANGUAGE = (
    "النظام نظام المستخدم مستخدم المساعد مساعد",  # Arabic
    "سیستم سامانه کاربر دستیار",  # Persian
    "سسٹم صارف معاون",  # Urdu
    "מערכת המערכת משתמש המשתמש עוזר העוזר",  # Hebrew
    "सिस्टम प्रणाली उपयोगकर्ता सहायक वापरकर्ता सहाय्यक",  # Hindi, Marathi
    "সিস্টেম ব্যবহারকারী সহকারী",  # Bengali
    "அமைப்பு பயனர் உதவியாளர்",  # Tamil
    "సిస్టమ్ వినియోగదారు సహాయకుడు",  # Telugu
    "સિસ્ટમ વપરાશકર્તા સહાયક",  # Gujarati
    "ਸਿਸਟਮ ਉਪਭੋਗਤਾ ਸਹਾਇਕ",  # Punjabi
    "ระบบ ผู้ใช้ ผู้ช่วย",  # Thai
    "시스템 사용자 유저 어시스턴트 도우미",  # Korean
    "システム ユーザー ユーサー ユーザ アシスタント",  # Japanese
    "系统 系統 用户 用戶 使用者 助手 助理",  # Chinese
    "hệ-thống người-dùng trợ-lý",  # Vietnamese
    "pengguna asisten pembantu",  # Indonesian, Malay
    "kullanıcı asistan",  # Turkish
    "σύστημα χρήστης βοηθός",  # Greek
    "система пользователь ассистент помощник користувач асистент помічник потребител систем корисник помоћник",
    "użytkownik uživatel používateľ asystent",  # Polish, Czech, Slovak
    "rendszer felhasználó asszisztens",  # Hungarian
    "järjestelmä käyttäjä avustaja",  # Finnish
    "användare bruger bruker",  # Swedish, Danish, Norwegian
    "utilizator sustav korisnik uporabnik",  # Romanian, Croatian, Slovenian
    "süsteem kasutaja lietotājs naudotojas",  # Estonian, Latvian, Lithuanian
    "სისტემა მომხმარებელი ასისტენტი",  # Georgian
    "համակարգ օգտատեր օգնական",  # Armenian
    "ስርዓት ተጠቃሚ ረዳት",  # Amharic
    "mfumo mtumiaji msaidizi",  # Swahili
)


def _any_language() -> str:
    names = {name.replace("-", " ") for line in _BY_LANGUAGE for name in line.split()}
    forms = {folded(form) for name in names for form in (name, name.upper())}
    return "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))


# A pattern of these names, folded as the lines are that are compared with it.
SPEAKER_NAMES = _any_language()
