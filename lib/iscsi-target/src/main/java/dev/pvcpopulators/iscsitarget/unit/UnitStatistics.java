package dev.pvcpopulators.iscsitarget.unit;

/// What a logical unit has done since it exists.
///
/// @param reads commands that read blocks
/// @param writes commands that wrote blocks
/// @param bytesRead of their data
/// @param bytesWritten of their data
/// @param waiting commands that wait for data on its way
public record UnitStatistics(
    long reads, long writes, long bytesRead, long bytesWritten, int waiting) {}
