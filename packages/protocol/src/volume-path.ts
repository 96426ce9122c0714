/** How many volumes a sandbox can have. */
export const maxVolumes = 8

/** Folders that the system of a machine needs. A volume is neither one of them nor in one of them. */
const systemFolders = /^\/(proc|sys|dev|run|etc|usr|bin|sbin|lib[^/]*|boot)(\/|$)/

/** Folders that a volume cannot hide, but that can have one in them. */
const neededFolders = new Set(['/home', '/home/user', '/root', '/tmp', '/var', '/var/lib'])

const reservedFolders = /^\/(tmp\/\.X11-unix|var\/run|var\/lock|var\/lib\/(dpkg|apt))(\/|$)/

const maxPathLength = 255

/** Returns what is wrong with a path at which a sandbox should have a volume, or undefined if nothing is. */
export function volumePathProblem(path: string): string | undefined {
  if (path.length > maxPathLength || !path.isWellFormed())
    return `must have at most ${maxPathLength} characters`
  if (!/^(\/[^/]+)+$/.test(path) || hasControls(path))
    return 'must be an absolute path such as /home/user/data, without a slash at its end'
  if (path.split('/').some(part => part === '.' || part === '..')) return 'must not contain . or ..'
  if (systemFolders.test(path) || reservedFolders.test(path) || neededFolders.has(path))
    return 'must not be a folder that the system needs'
  return undefined
}

/** Returns two of the paths if one contains the other, and undefined otherwise. */
export function overlapOf(paths: readonly string[]): readonly [string, string] | undefined {
  for (const [at, outer] of paths.entries())
    for (const [other, inner] of paths.entries())
      if (at !== other && (inner === outer || inner.startsWith(`${outer}/`))) return [outer, inner]
  return undefined
}

function hasControls(text: string): boolean {
  return [...text].some(character => character < ' ' || character === '\x7f')
}
