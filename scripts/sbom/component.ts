/** A component of a CycloneDX document. Addresses to download it from are left out: they are those of whoever wrote the document. */
export interface Component {
  readonly type: 'application' | 'library' | 'container'
  readonly 'bom-ref': string
  readonly name: string
  /** Unknown for a package of an image that is not built. */
  readonly version?: string
  readonly purl?: string
  /** Excluded components are needed for development only. */
  readonly scope?: 'required' | 'excluded'
  readonly licenses?: readonly [{ readonly expression: string }]
  readonly hashes?: readonly [{ readonly alg: string; readonly content: string }]
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
  readonly components?: readonly Component[]
}
