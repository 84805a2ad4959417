package dev.pvcpopulators.populate.doctor;

/// A problem of the cluster that can prevent the filling of claims.
///
/// @param subject the object that is missing or wrong, such as `StorageClass standard`
/// @param problem what was expected and found
/// @param remedy what to do
public record Finding(String subject, String problem, String remedy) {}
