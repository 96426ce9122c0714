/** An entry of the error table. */
export interface ErrorDefinition {
  readonly status: number
  readonly message: string
  readonly hint: string
}
