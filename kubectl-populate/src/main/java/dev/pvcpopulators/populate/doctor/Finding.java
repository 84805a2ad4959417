package dev.pvcpopulators.populate.doctor;

/// Something that the cluster lacks to fill claims.
///
/// @param subject the object that is missing or wrong, such as `StorageClass standard`
/// @param problem what was expected and found
/// @param remedy what to do
public record Finding(String subject, String problem, String remedy) {}
