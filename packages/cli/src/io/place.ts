/** Something that can be copied or copied to. */
export type Place =
  | { readonly kind: 'here'; readonly path: string }
  | { readonly kind: 'sandbox'; readonly sandbox: string; readonly path: string }
  | { readonly kind: 'pipe' }

/**
 * Reads an argument of `cp`. As for scp, a colon before the first slash separates a sandbox from its path, so a file of this
 * computer whose name has a colon is written with a slash: `./a:b`. The path of a sandbox is relative to the home folder of its
 * user.
 */
export function parsePlace(text: string): Place {
  if (text === '-') return { kind: 'pipe' }
  const [, sandbox, path] = /^([^/:]{2,}):(.*)$/s.exec(text) ?? []
  // A single letter before the colon is a drive of Windows.
  if (sandbox === undefined) return { kind: 'here', path: text }
  return { kind: 'sandbox', sandbox, path: path || '.' }
}
