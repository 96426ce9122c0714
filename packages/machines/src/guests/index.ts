export { androidGuest } from './android.ts'
export { debianGuest } from './debian.ts'
export { windowsGuest } from './windows.ts'
