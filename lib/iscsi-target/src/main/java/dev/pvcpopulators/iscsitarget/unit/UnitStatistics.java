package dev.pvcpopulators.iscsitarget.unit;

/// The activity of a logical unit since its creation.
///
/// @param reads commands that read blocks
/// @param writes commands that wrote blocks
/// @param bytesRead bytes of their data
/// @param bytesWritten bytes of their data
/// @param waiting commands that wait for data that is still to arrive
public record UnitStatistics(
    long reads, long writes, long bytesRead, long bytesWritten, int waiting) {}
