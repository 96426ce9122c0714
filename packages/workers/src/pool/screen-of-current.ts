import type { RunningScreen } from '../contract/index.ts'

/** The screen of a machine wherever it is open when a call is made. */
export function screenOfCurrent(current: () => Promise<{ readonly screen: RunningScreen }>): RunningScreen {
  const screen = async () => (await current()).screen
  return {
    size: async () => (await screen()).size(),
    perform: async (...args) => (await screen()).perform(...args),
    look: async (...args) => (await screen()).look(...args),
    thumbnail: async (...args) => (await screen()).thumbnail(...args),
    begin: async (...args) => (await screen()).begin(...args),
  }
}
