import { SettingError } from '../setting-table.ts'

/** What all readers of such files take for the same value: systemd, `node --env-file`, and Docker Compose. */
const plainValue = /^[^\s"'\\`$#](?:[^"'\\`$#]*[^\s"'\\`$#])?$/
const quotedValue = /^(?:'([^']*)'|"([^"\\`$]*)")$/

/**
 * Reads a configuration file: lines `NAME=value`, empty lines, and lines that begin with `#`. A value in which programs
 * disagree about quotes, backslashes, `$` or `#` has to be in single quotes. Messages never contain a value, because it may
 * be a secret.
 */
export function parseConfiguration(text: string, file: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
    const place = `${file}, line ${index + 1}`
    if (name === undefined || value === undefined)
      throw new SettingError(
        `${place} is not a line of the form NAME=value, without spaces around = and without export.`,
      )
    if (values.has(name))
      throw new SettingError(`${place} sets ${name} a second time. Remove one of the two lines.`)
    values.set(name, parseValue(value, name, place))
  }
  return values
}

function parseValue(value: string, name: string, place: string): string {
  if (value === '' || plainValue.test(value)) return value
  const [whole, single, double] = quotedValue.exec(value) ?? []
  if (whole !== undefined) return single ?? double ?? ''
  throw new SettingError(
    `${place}: programs read the value of ${name} in different ways. Put it in single quotes: ${name}='…'. If it contains a single quote itself, put it in a file and set ${name}_FILE, or choose another value.`,
  )
}
