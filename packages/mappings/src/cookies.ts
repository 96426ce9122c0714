/** With the `__Host-` prefix browsers reject the cookie from any other host, and require TLS. */
const names = { secure: '__Host-sandglass-mapping', plain: 'sandglass-mapping' } as const
const isOurs = (name: string) => name === names.secure || name === names.plain
const nameIn = (pair: string) => pair.slice(0, pair.indexOf('=')).trim()

/** The cookie that carries a mapping's token. It is limited to the mapping's host and hidden from scripts. */
export function cookieOf(token: string, isSecure: boolean): string {
  const attributes = 'Path=/; HttpOnly; SameSite=Lax'
  return isSecure
    ? `${names.secure}=${token}; ${attributes}; Secure`
    : `${names.plain}=${token}; ${attributes}`
}

/** All tokens in a Cookie header. There can be several, since a sibling host may have set a wrong one. */
export function cookiesNamed(header: string | undefined): string[] {
  if (!header?.includes(names.plain)) return []
  return header
    .split(';')
    .filter(pair => isOurs(nameIn(pair)))
    .map(pair => pair.slice(pair.indexOf('=') + 1).trim())
}

/** The Cookie header for the guest, which never sees the token; undefined if nothing is left. */
export function withoutToken(header: string): string | undefined {
  if (!header.includes(names.plain)) return header
  const others = header.split(';').filter(pair => !isOurs(nameIn(pair)))
  return others.length > 0 ? others.join(';').trim() : undefined
}

/**
 * Limits a guest's cookies to its own host: the Domain attribute is removed, and cookies named like the token are
 * dropped.
 */
export function hostOnly(cookies: readonly string[]): string[] {
  return cookies
    .filter(cookie => !isOurs(nameIn(cookie)))
    .map(cookie => cookie.replace(/;[ \t]*domain[ \t]*(=[^;]*)?(?=;|$)/gi, ''))
}
