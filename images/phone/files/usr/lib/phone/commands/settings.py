"""settings get | put | list TABLE [KEY] [VALUE]"""


def run(phone, arguments, answer):
    verb, table, *rest = (*arguments, '', '')[:max(2, len(arguments))]
    if table not in phone.settings.tables:
        answer(err='Error: Invalid namespace; use system, secure or global\n', code=255)
    elif verb == 'get' and len(rest) == 1:
        answer(f'{phone.settings.get(table, rest[0]) or "null"}\n')
    elif verb == 'put' and len(rest) == 2:
        phone.settings.put(table, *rest)
        answer()
    elif verb == 'list':
        answer(''.join(f'{key}={value}\n' for key, value in sorted(phone.settings.tables[table].items())))
    else:
        answer(err='Error: use settings get, put or list\n', code=255)
