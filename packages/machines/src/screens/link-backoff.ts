import type { BackoffOptions } from '@sandglass/supervision'

/** For links to a desktop: it comes back within about a second, so there is no point in waiting for longer than a few. */
export const linkBackoff: BackoffOptions = { firstMs: 100, maxMs: 3000, steadyMs: 1000 }
