import { UsageError } from './failures.ts'

const seconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** Reads a time such as `90s`, `10m`, `2h` or `1d`; a bare number is seconds. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+)([smhd]?)$/.exec(text) ?? []
  if (amount === undefined)
    throw new UsageError(`"${text}" is not a time.`, 'Write it as 90s, 10m, 2h or 1d.')
  return Number(amount) * seconds[(unit || 's') as keyof typeof seconds]
}

const mebibytes = { M: 1, G: 1024, T: 1024 * 1024 } as const

/** Reads a size such as `512M` or `10G` in MiB. */
export function parseSizeMiB(text: string): number {
  const [, amount, unit] = /^(\d+)([MGT]?)i?B?$/i.exec(text) ?? []
  if (amount === undefined) throw new UsageError(`"${text}" is not a size.`, 'Write it as 512M or 10G.')
  return Number(amount) * mebibytes[(unit?.toUpperCase() || 'M') as keyof typeof mebibytes]
}

/** Reads the sides of a screen such as `1280x720`. */
export function parseScreen(text: string): { width: number; height: number } {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(text) ?? []
  if (width === undefined)
    throw new UsageError(`"${text}" is not the size of a screen.`, 'Write it as 1280x720.')
  return { width: Number(width), height: Number(height) }
}

/** Reads a whole number between two bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most)
      throw new UsageError(`"${text}" is not a whole number from ${least} to ${most}.`)
    return value
  }
}

/** Reads `name=value`. */
export function parsePair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`"${text}" is not name=value.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** A time from now on, in the largest unit that says enough: `45s`, `12m`, `3h`, `6d`. */
export function formatDuration(ms: number): string {
  const whole = Math.round(Math.abs(ms) / 1000)
  if (whole < 120) return `${whole}s`
  if (whole < 120 * 60) return `${Math.round(whole / 60)}m`
  if (whole < 48 * 3600) return `${Math.round(whole / 3600)}h`
  return `${Math.round(whole / 86_400)}d`
}

/** How long ago a time was, or how long it is until then. */
export function formatTime(time: string | null | undefined): string {
  if (!time) return ''
  const ms = new Date(time).getTime() - Date.now()
  return ms < 0 ? `${formatDuration(ms)} ago` : `in ${formatDuration(ms)}`
}

export function formatMiB(size: number | undefined): string {
  if (size === undefined) return ''
  return size >= 1024 ? `${(size / 1024).toFixed(1)} GiB` : `${Math.round(size * 10) / 10} MiB`
}
