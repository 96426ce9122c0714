export { androidGuest } from './android.ts'
export { consoleGuest } from './console.ts'
export { debianGuest } from './debian.ts'
export { windowsGuest } from './windows.ts'
