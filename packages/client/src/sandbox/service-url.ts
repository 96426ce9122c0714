const loopback = /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/

/**
 * A URL of the service as this client reaches it. A service that was not told its public URL names itself as it sees itself, so
 * an address of its own host, or of ours without our base path, is replaced. Another public URL is kept.
 *
 * @param from where the service's own part of the path begins, such as `/screenshots/`
 */
export function reachableUrl(url: string, base: string, from: string): string {
  const given = new URL(url)
  const ours = new URL(base)
  const isOurs = given.origin === ours.origin || loopback.test(given.hostname)
  const start = given.pathname.lastIndexOf(from)
  if (!isOurs || start < 0) return url
  return base + given.pathname.slice(start) + given.search + given.hash
}

/** The same path below the URL of this client, which always reaches the service. */
export function ownUrl(url: string, base: string, from: string): string {
  const { pathname, search } = new URL(url)
  return base + pathname.slice(Math.max(0, pathname.lastIndexOf(from))) + search
}
