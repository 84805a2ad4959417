package dev.pvcpopulators.diskimage.volume;

import java.nio.file.Path;

/// A disk that is complete, on stable storage, and visible under its name.
///
/// @param path the file, or the block device
/// @param size bytes that a guest will see
/// @param allocated bytes that the disk takes in the volume: for a file, the number that its file
///   system reports; for a block device, the number of bytes that were written, without the zeros
///   that fill the MiBs without data
/// @param record the disk's origin, even if the volume could not store it
public record PublishedDisk(Path path, long size, long allocated, DiskRecord record) {}
