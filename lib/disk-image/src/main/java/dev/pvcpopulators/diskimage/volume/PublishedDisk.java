package dev.pvcpopulators.diskimage.volume;

import java.nio.file.Path;

/// A disk that is complete, on stable storage, and visible under its name.
///
/// @param path the file, or the block device
/// @param size bytes that a guest will see
/// @param allocated bytes that the disk takes in the volume: of a file what its file system says,
///   of a block device what was written
/// @param record what it was made from, also where the volume could not keep it
public record PublishedDisk(Path path, long size, long allocated, DiskRecord record) {}
