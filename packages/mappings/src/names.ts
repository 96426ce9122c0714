/** What stands before the id of a mapping in its host name. */
const prefix = 'm-'
const label = /^m-([0-9a-f]{20})$/

/**
 * The host names of mappings: a label of its own for each, below one domain. Without a domain of one's own that is
 * `localhost`, below which browsers resolve every name to this box; the service shares it, so there only the labels of
 * mappings belong to them.
 */
export class MappingNames {
  readonly #domain: () => string
  #bareDomain: string | undefined
  /** A host that is not claimed: most requests name the same one as the request before. */
  #unclaimed: string | undefined

  /** `domain` is a bare host, or host:port; it is asked for when the first request has come. */
  constructor(domain: () => string) {
    this.#domain = domain
  }

  /** The host of a mapping, with the port by which it is reached where that is not the scheme's own. */
  domainOf(id: string): string {
    return `${prefix}${id}.${this.#domain()}`
  }

  /** True for every host that mappings answer for, whether or not there is such a mapping. */
  claims(host: string | undefined): boolean {
    if (host !== undefined && host === this.#unclaimed) return false
    const first = this.#labelOf(host)
    const claimed = first !== undefined && (!this.isLocal || first.startsWith(prefix))
    if (!claimed) this.#unclaimed = host
    return claimed
  }

  /** The id of the mapping that a Host header names. */
  idOf(host: string | undefined): string | undefined {
    return label.exec(this.#labelOf(host) ?? '')?.[1]
  }

  get isLocal(): boolean {
    return this.#withoutPort === 'localhost'
  }

  get #withoutPort(): string {
    this.#bareDomain ??= bare(this.#domain())
    return this.#bareDomain
  }

  /** What stands before the domain in a Host header. */
  #labelOf(host: string | undefined): string | undefined {
    const name = bare(host ?? '')
    const end = name.length - this.#withoutPort.length - 1
    return end >= 0 && name[end] === '.' && name.endsWith(this.#withoutPort) ? name.slice(0, end) : undefined
  }
}

/** Without the port and the root's dot, in lower case: so that every spelling of a host is one. */
export function bare(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}
