/** With the `__Host-` prefix browsers reject the cookie from any other host, and require TLS. */
const names = { secure: '__Host-sandglass-mapping', plain: 'sandglass-mapping' } as const
/** The cookies of people who are signed in to the service. Browsers do not send them here, and a guest must never see or set one. */
const sessions = new Set([
  '__Host-sandglass-session',
  'sandglass-session',
  '__Host-sandglass-sign-in',
  'sandglass-sign-in',
])
const isToken = (name: string) => name === names.secure || name === names.plain
const isOurs = (name: string) => isToken(name) || sessions.has(name)
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
    .filter(pair => isToken(nameIn(pair)))
    .map(pair => pair.slice(pair.indexOf('=') + 1).trim())
}

/** The Cookie header for the guest, which never sees the token or a session; undefined if nothing is left. */
export function withoutToken(header: string): string | undefined {
  if (!header.includes('sandglass-')) return header
  const others = header.split(';').filter(pair => !isOurs(nameIn(pair)))
  return others.length > 0 ? others.join(';').trim() : undefined
}

/**
 * Limits a guest's cookies to its own host: the Domain attribute is removed, and cookies named like the token or a session
 * are dropped.
 */
export function hostOnly(cookies: readonly string[]): string[] {
  return cookies
    .filter(cookie => !isOurs(nameIn(cookie)))
    .map(cookie => cookie.replace(/;[ \t]*domain[ \t]*(=[^;]*)?(?=;|$)/gi, ''))
}
