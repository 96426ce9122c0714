/** Precedes the id of a mapping in its host name. */
const prefix = 'm-'
const label = /^m-([0-9a-f]{20})$/

/**
 * The host names of mappings: one label per mapping below one domain. The default domain is `localhost`, below which
 * browsers resolve every name to this box. The service shares `localhost` with the API, so there only labels with the
 * prefix belong to mappings.
 */
export class MappingNames {
  readonly #domain: () => string
  #bareDomain: string | undefined
  /** The last host that was not claimed. Most requests name the same host as the one before. */
  #unclaimed: string | undefined

  /** `domain` is a host or host:port. It is called with the first request, when the port is known. */
  constructor(domain: () => string) {
    this.#domain = domain
  }

  /** The domain below which the names are, with its port unless that is the default of the scheme. */
  get domain(): string {
    return this.#domain()
  }

  /** The host of a mapping, with its port unless that is the default of the scheme. */
  domainOf(id: string): string {
    return `${prefix}${id}.${this.#domain()}`
  }

  /** Whether mappings answer for a host, even if no such mapping exists. */
  claims(host: string | undefined): boolean {
    if (host !== undefined && host === this.#unclaimed) return false
    const first = this.#labelOf(host)
    const claimed = first !== undefined && (!this.isLocal || first.startsWith(prefix))
    if (!claimed) this.#unclaimed = host
    return claimed
  }

  idOf(host: string | undefined): string | undefined {
    return label.exec(this.#labelOf(host) ?? '')?.[1]
  }

  get isLocal(): boolean {
    return this.#withoutPort === 'localhost'
  }

  get #withoutPort(): string {
    this.#bareDomain ??= normalizeHost(this.#domain())
    return this.#bareDomain
  }

  /** The part before the domain in a Host header. */
  #labelOf(host: string | undefined): string | undefined {
    const name = normalizeHost(host ?? '')
    const end = name.length - this.#withoutPort.length - 1
    return end >= 0 && name[end] === '.' && name.endsWith(this.#withoutPort) ? name.slice(0, end) : undefined
  }
}

/** A host in lower case, without its port and trailing dot, so that all spellings of it compare equal. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}
