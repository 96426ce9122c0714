/** Something that runs during a fault and must work again afterwards. */
export interface Activity {
  /** Whether it works now. */
  isAlive(): Promise<boolean>
  end(): Promise<void>
}
