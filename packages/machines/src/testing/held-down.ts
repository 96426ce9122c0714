/**
 * A Python script that prints how many keys are down on the display, and the masks of the modifiers and of the
 * buttons.
 */
export const heldDownScript = `
import ctypes
x = ctypes.CDLL('libX11.so.6')
x.XOpenDisplay.restype = ctypes.c_void_p
x.XDefaultRootWindow.restype = ctypes.c_ulong
d = ctypes.c_void_p(x.XOpenDisplay(None))
keys = (ctypes.c_char * 32)()
x.XQueryKeymap(d, keys)
n = [ctypes.c_ulong() for _ in range(7)]
x.XQueryPointer(d, ctypes.c_ulong(x.XDefaultRootWindow(d)), *[ctypes.byref(v) for v in n])
print(sum(bin(b).count('1') for b in keys.raw), n[6].value & 0xff, (n[6].value & 0x1f00) >> 8)
`
