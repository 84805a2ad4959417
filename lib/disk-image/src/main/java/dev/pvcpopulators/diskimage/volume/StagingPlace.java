package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.linux.NativeFile;

/// Where host bytes are kept. Reads as zeros until something is kept.
///
/// @param file the file or device
/// @param base where host offset 0 lies in it, a multiple of 1 MiB
/// @param capacity host bytes that fit
/// @param ownFile a file for this alone, which begins at its offset 0, whose holes can be found and
///   whose blocks the disk may share; else a region of the device that holds the disk
/// @param punchable whether space can be given back
record StagingPlace(
    NativeFile file, long base, long capacity, boolean ownFile, boolean punchable) {}
