/** A model that follows a script: it says the next thing each time it is asked, and its last word after that. */
export function follow<T>(steps: readonly T[]): () => T | undefined {
  let next = 0
  return () => steps[next++]
}

/** Opens a terminal at a known place, and returns when it can be seen. */
export const openTerminal =
  'setsid xterm -geometry 80x20+100+100 >/dev/null 2>&1 & xdotool search --sync --onlyvisible --class xterm'

/** A pixel inside of that terminal. */
export const inTerminal = { x: 300, y: 250 }

export const greet = (file: string) => `echo hello from the model > ${file}`
