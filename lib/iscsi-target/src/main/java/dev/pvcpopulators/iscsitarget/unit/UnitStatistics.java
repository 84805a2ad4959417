package dev.pvcpopulators.iscsitarget.unit;

/// The activity of a logical unit since its creation.
///
/// @param reads the number of READ commands that ended with GOOD
/// @param writes the number of WRITE, WRITE AND VERIFY and WRITE ATOMIC commands that ended with
///   GOOD
/// @param bytesRead the number of bytes that these READ commands request in their CDBs
/// @param bytesWritten the number of bytes that the CDBs of these write commands state
/// @param waiting the number of commands that currently wait for data that the medium does not have
///   yet
public record UnitStatistics(
    long reads, long writes, long bytesRead, long bytesWritten, int waiting) {}
