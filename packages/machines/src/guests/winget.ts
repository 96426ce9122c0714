import type { NameInstallTool } from '../contract/guest-profile.ts'

/** Fetches and installs packages by their winget ids. Never run by this project's tests; see `windows.ts`. */
export const winget: NameInstallTool = {
  name: 'winget',
  installs: 'names',
  env: {},
  install: names => ({
    executable: 'winget.exe',
    args: [
      'install',
      '--exact',
      '--silent',
      '--disable-interactivity',
      '--accept-package-agreements',
      '--accept-source-agreements',
      ...names,
    ],
  }),
  progressOf(stdout) {
    const percent = [...stdout.matchAll(/(\d{1,3})%/g)].at(-1)?.[1]
    return percent === undefined ? undefined : Number(percent)
  },
  // It reports errors on its standard output, below a progress bar that it draws with carriage returns.
  complaintOf: (stdout, stderr) =>
    (stderr.trim() || stdout.trim())
      .split(/[\r\n]+/)
      .at(-1)
      ?.trim(),
}
