package dev.pvcpopulators.iscsitarget.medium;

import java.nio.channels.FileChannel;

/// The location of a medium's range in a file.
///
/// @param channel owned by the medium; for positional reads and `transferTo` only
/// @param position in bytes from the beginning of the file
public record FileRange(FileChannel channel, long position) {}
