/** Paths as the service has them: absolute, or relative to the home of the user, which is `.`. */
export const home = '.'

export function join(folder: string, name: string): string {
  if (name.startsWith('/')) return name
  if (folder === home) return name
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`
}

export function parentOf(path: string): string {
  const at = path.lastIndexOf('/')
  if (at === -1) return home
  return at === 0 ? '/' : path.slice(0, at)
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
