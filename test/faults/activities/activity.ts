/** What goes on while a fault comes, and must go on again afterwards. */
export interface Activity {
  /** True when it goes on, as seen after the call. */
  isAlive(): Promise<boolean>
  end(): Promise<void>
}
