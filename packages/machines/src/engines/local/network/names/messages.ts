/** A machine whose egress list has host names. */
export interface NamedMachine {
  readonly address: string
  /** The hosts of its list, each with the number of its rule. */
  readonly hosts: readonly { readonly host: string; readonly rule: number }[]
}

/** From the engine to the name server. */
export type ToNameServer =
  | { readonly kind: 'machines'; readonly machines: readonly NamedMachine[] }
  /** The addresses of this request can be reached now, or cannot be opened. */
  | { readonly kind: 'opened'; readonly id: number; readonly isOpen: boolean }

/** From the name server to the engine. */
export type FromNameServer =
  | { readonly kind: 'ready' }
  /** A machine resolved a name, and needs these addresses. */
  | { readonly kind: 'open'; readonly id: number; readonly machine: string; readonly found: Found }

export interface Found {
  /** The numbers of the rules that allow the name. */
  readonly rules: readonly number[]
  readonly addresses: readonly string[]
  readonly seconds: number
}
