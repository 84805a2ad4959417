package dev.pvcpopulators.iscsitarget.medium;

import java.nio.channels.FileChannel;

/// A range of a medium as a range of a file.
///
/// @param channel owned by the medium; good for positional reads and `transferTo` only
/// @param position bytes from the beginning of the file
public record FileRange(FileChannel channel, long position) {}
