/** The folder of virtio-win in which the drivers for a version of Windows are. */
const versions: readonly (readonly [pattern: RegExp, folder: string])[] = [
  [/\bWindows 11\b/i, 'w11'],
  [/\bWindows 10\b/i, 'w10'],
  [/\bServer 2025\b/i, '2k25'],
  [/\bServer 2022\b/i, '2k22'],
  [/\bServer 2019\b/i, '2k19'],
]

/** The drivers that every image has, with the file by which each is recognized. */
const drivers = [
  { folder: 'viostor', file: 'viostor.inf' },
  { folder: 'vioscsi', file: 'vioscsi.inf' },
  { folder: 'NetKVM', file: 'netkvm.inf' },
  { folder: 'vioserial', file: 'vioser.inf' },
] as const

export const agentInstaller = 'guest-agent\\qemu-ga-x86_64.msi'

/** The letters that the CD with the drivers may have while Windows Setup runs. A path that does not exist is skipped. */
const letters = ['D', 'E', 'F', 'G', 'H']

export function driverVersion(edition: string): string {
  const found = versions.find(([pattern]) => pattern.test(edition))?.[1]
  if (found === undefined)
    throw new Error(
      `It is not known which drivers ${JSON.stringify(edition)} needs. Name an edition of Windows 10, Windows 11, or Windows Server 2019, 2022 or 2025, as the ISO names it.`,
    )
  return found
}

/** The folders on the CD, from its root. */
export const driverFolders = (edition: string): string[] =>
  drivers.map(({ folder }) => `${folder}\\${driverVersion(edition)}\\amd64`)

export const driverPaths = (edition: string): string[] =>
  letters.flatMap(letter => driverFolders(edition).map(folder => `${letter}:\\${folder}`))

/** What a CD with drivers must have for an edition. */
export const requiredFiles = (edition: string): string[] => [
  ...drivers.map(({ folder, file }) => `${folder}\\${driverVersion(edition)}\\amd64\\${file}`),
  agentInstaller,
]
