const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Such as `12 KiB` or `1.4 GiB`. */
export function size(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${value.toFixed(power > 0 && value < 10 ? 1 : 0)} ${units[power]}`
}
