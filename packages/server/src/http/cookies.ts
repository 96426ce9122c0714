/** All values of a cookie in a Cookie header. There can be several, since a sibling host may have set one of them. */
export function cookiesNamed(header: string | undefined, name: string): string[] {
  if (!header?.includes(name)) return []
  return header
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
    .filter(value => value !== '')
}

export interface NewCookie {
  readonly name: string
  /** Letters, digits, dots, dashes and underscores, which need no encoding. */
  readonly value: string
  readonly expiresAt: Date
  readonly sameSite: 'Strict' | 'Lax'
  readonly isSecure: boolean
}

/** A Set-Cookie header for a cookie that is limited to the host of the service and hidden from scripts. */
export function cookieText({ name, value, expiresAt, sameSite, isSecure }: NewCookie): string {
  const attributes = `Path=/; Expires=${expiresAt.toUTCString()}; HttpOnly; SameSite=${sameSite}`
  return `${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`
}
