import type { Point } from './rect.ts'

export interface App {
  readonly packageName: string
  /** What a person reads below its icon. */
  readonly label: string
}

/** The touch of one finger: where it goes, and in how many milliseconds. A tap goes nowhere and takes next to no time. */
export interface Stroke {
  readonly from: Point
  readonly to: Point
  readonly durationMs: number
}

export interface PhoneOptions {
  readonly signal?: AbortSignal | undefined
}

/** What only a phone can do. Everything settles when the phone has taken it. */
export interface Phone {
  touch(stroke: Stroke, options?: PhoneOptions): Promise<void>
  /** Keys by the names of Android's key codes without `KEYCODE_`, such as `HOME` or `A`, all down at once, in order. */
  press(keys: readonly string[], options?: PhoneOptions & { readonly durationMs?: number }): Promise<void>
  /** Types text exactly into what has the focus. */
  type(text: string, options?: PhoneOptions): Promise<void>
  /** Takes away all the text of what has the focus. */
  clear(options?: PhoneOptions): Promise<void>
  /** The apps that a person can start. */
  apps(options?: PhoneOptions): Promise<readonly App[]>
  /** NOT_FOUND where there is no such app. */
  start(packageName: string, options?: PhoneOptions): Promise<void>
  close(packageName: string, options?: PhoneOptions): Promise<void>
}
