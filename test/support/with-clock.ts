const preload = new URL('shifted-clock.ts', import.meta.url).pathname

/** The environment for a service process with a shifted wall clock; see `shifted-clock.ts`. */
export function withClock(
  offset: { readonly ms: number } | { readonly file: string },
): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${preload}`,
    ...('ms' in offset
      ? { SANDGLASS_TEST_CLOCK_MS: String(offset.ms) }
      : { SANDGLASS_TEST_CLOCK_FILE: offset.file }),
  }
}
