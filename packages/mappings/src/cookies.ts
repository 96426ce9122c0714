/** `__Host-` makes browsers refuse the cookie from any other host, and asks for TLS. */
const names = { secure: '__Host-sandglass-mapping', plain: 'sandglass-mapping' } as const
const isOurs = (name: string) => name === names.secure || name === names.plain
const nameIn = (pair: string) => pair.slice(0, pair.indexOf('=')).trim()

/** The cookie that holds a mapping's token: for its host alone, and for no script. */
export function cookieOf(token: string, isSecure: boolean): string {
  const attributes = 'Path=/; HttpOnly; SameSite=Lax'
  return isSecure
    ? `${names.secure}=${token}; ${attributes}; Secure`
    : `${names.plain}=${token}; ${attributes}`
}

/** Every token that a Cookie header holds: a sibling host may have put a wrong one beside the right one. */
export function cookiesNamed(header: string | undefined): string[] {
  if (!header?.includes(names.plain)) return []
  return header
    .split(';')
    .filter(pair => isOurs(nameIn(pair)))
    .map(pair => pair.slice(pair.indexOf('=') + 1).trim())
}

/** The Cookie header as the guest gets it, which never sees the token; undefined where nothing is left. */
export function withoutToken(header: string): string | undefined {
  if (!header.includes(names.plain)) return header
  const others = header.split(';').filter(pair => !isOurs(nameIn(pair)))
  return others.length > 0 ? others.join(';').trim() : undefined
}

/** Cookies of a guest are for its own host: none for the whole domain, and none in the name of the token. */
export function hostOnly(cookies: readonly string[]): string[] {
  return cookies
    .filter(cookie => !isOurs(nameIn(cookie)))
    .map(cookie => cookie.replace(/;[ \t]*domain[ \t]*(=[^;]*)?(?=;|$)/gi, ''))
}
